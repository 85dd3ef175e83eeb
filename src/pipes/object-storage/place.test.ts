import assert from 'node:assert/strict'
import { test } from 'node:test'
import { azureBody, planned, storageBody } from '../../../test/support/pipe-bodies.ts'
import { planCreate } from '../../domain/pipe/create.ts'
import type { PipeCreateInput } from '../../domain/pipe/input.ts'
import { type Place, placeOf } from './place.ts'

const placeIn = (body: PipeCreateInput): Place => {
  const { objectStorage } = planned(planCreate(body)).spec.source
  assert.ok(objectStorage)
  return placeOf(objectStorage)
}

/** Endpoint, bucket, `host` where the bucket is in the host, region, pattern. */
const cases: Record<string, string> = {
  's3://logs/2026/*.json': 'https://s3.amazonaws.com logs host us-east-1 2026/*.json',
  'https://logs.s3.amazonaws.com/a?.csv': 'https://s3.amazonaws.com logs host us-east-1 a?.csv',
  'https://a.b.s3.eu-west-1.amazonaws.com/x': 'https://s3.eu-west-1.amazonaws.com a.b host eu-west-1 x',
  'https://s3.us-gov-west-1.amazonaws.com/logs/x':
    'https://s3.us-gov-west-1.amazonaws.com logs path us-gov-west-1 x',
  'http://127.0.0.1:4568/logs/a%20b/**': 'http://127.0.0.1:4568 logs path us-east-1 a b/**',
  'http://[::1]:9000/logs/100%.csv': 'http://[::1]:9000 logs path us-east-1 100%.csv',
  'gs://logs/x/*': 'https://storage.googleapis.com logs path us-east-1 x/*',
  'https://logs.storage.googleapis.com/x': 'https://storage.googleapis.com logs path us-east-1 x',
  'https://logs.fra1.digitaloceanspaces.com/x': 'https://fra1.digitaloceanspaces.com logs path fra1 x',
  'https://fra1.digitaloceanspaces.com/logs/x': 'https://fra1.digitaloceanspaces.com logs path fra1 x',
  'https://abc.r2.cloudflarestorage.com/logs/x': 'https://abc.r2.cloudflarestorage.com logs path us-east-1 x',
  'https://s3.gra.io.cloud.ovh.net/logs/x': 'https://s3.gra.io.cloud.ovh.net logs path gra x',
}

for (const [url, expected] of Object.entries(cases)) {
  test(`the bucket of ${url}`, () => {
    const place = placeIn(storageBody({ url }))
    assert.ok(place.kind === 'bucket')
    const style = place.isInHost ? 'host' : 'path'
    const shown = [place.endpoint, place.bucket, style, place.region, place.pattern].join(' ')
    assert.equal(shown, expected)
  })
}

test('the container and the folder of a source', () => {
  const container = { kind: 'container', container: 'orders', pattern: 'daily/*.parquet' }
  assert.deepEqual(placeIn(azureBody()), container)
  assert.deepEqual(placeIn(azureBody({ path: '/daily/*.parquet' })), container)
  const folder = { kind: 'folder', pattern: '/srv/in coming/*.csv' }
  assert.deepEqual(placeIn(storageBody({ url: 'file:///srv/in%20coming/*.csv' })), folder)
})

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startAzureServer } from '../../../test/support/azure-server.ts'
import { startListingServer } from '../../../test/support/listing-server.ts'
import { startTestBucket, storagePipe, testEgress, testKey } from '../../../test/support/objects.ts'
import { azureBody } from '../../../test/support/pipe-bodies.ts'
import { startSqsServer } from '../../../test/support/sqs-server.ts'
import { systemClock } from '../../lib/clock.ts'
import { readEgressList } from '../../lib/egress/list.ts'
import type { SourcePipe } from '../source.ts'
import { createObjectStorage } from './object-storage.ts'

const secret = 'c2VjcmV0'
const { signal } = new AbortController()

async function check(
  pipe: SourcePipe,
  { sample = false, fileRoots = [] as string[], egress = testEgress } = {},
) {
  const kind = createObjectStorage({ egress, fileRoots, clock: systemClock })
  const result = await kind.check(pipe, { sample, signal })
  assert.ok(!JSON.stringify(result).includes(secret))
  if (result.ok) return { ok: true, sample: result.sample }
  return result.problems.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n')
}

test('a bucket', async (t) => {
  const bucket = await startTestBucket(t)
  await bucket.put('in/a.csv', '1,2\n')
  await bucket.put('in/b.csv', '1,2\n')
  const url = `${bucket.url}in/*.csv`
  const host = new URL(url).host
  const accessKey = { accessKeyId: 'S3RVER', secretKey: secret }
  assert.deepEqual(await check(storagePipe({ url, accessKey })), { ok: true, sample: null })
  const sampled = await check(storagePipe({ url, accessKey }), { sample: true })
  assert.match(
    JSON.stringify(sampled),
    /"kind":"objects","objects":\[\{"key":"in\/a.csv","etag":"\w+","bytes":4\}\]/,
  )

  const unknown = { accessKeyId: 'nobody', secretKey: secret }
  assert.match(
    String(await check(storagePipe({ url, accessKey: unknown }))),
    /^objectStorage.accessKey: .*access key id/,
  )
  const elsewhere = url.replace('granary-test', 'nowhere')
  assert.equal(
    await check(storagePipe({ url: elsewhere, accessKey })),
    `objectStorage.url: There is no such bucket: the bucket nowhere at ${host} (NoSuchBucket, 404).`,
  )
  const none = storagePipe({ url: `${bucket.url}in/*.json`, accessKey })
  assert.equal(await check(none), 'objectStorage.url: No object matches in/*.json.')
  const later = storagePipe({ url: `${bucket.url}in/*.json`, accessKey, isContinuous: true })
  assert.deepEqual(await check(later), { ok: true, sample: null })
  assert.equal(await check(later, { sample: true }), 'objectStorage.url: No object matches in/*.json.')
})

test('hosts', async (t) => {
  const server = await startListingServer(
    () => 1,
    () => 'a',
  )
  t.after(() => server.close())
  const pipe = storagePipe({ url: `${server.url}*`, accessKey: { accessKeyId: 'AKID', secretKey: secret } })
  const { host } = new URL(server.url)
  const failures: [number, string, string][] = [
    [403, 'AccessDenied', `accessKey: ${host} denies access to the bucket listed (AccessDenied, 403).`],
    [403, 'SignatureDoesNotMatch', 'accessKey: The secret key does not belong to the access key id'],
    [503, 'SlowDown', `url: ${host} is overloaded or out of order`],
    [404, 'NoSuchBucket', 'url: There is no such bucket'],
    [400, 'InvalidRequest', `url: ${host} refuses to list the bucket listed (InvalidRequest, 400).`],
  ]
  for (const [status, code, expected] of failures) {
    server.failure = { status, code }
    const said = String(await check(pipe))
    assert.ok(said.startsWith(`objectStorage.${expected}`), said)
  }
  await server.close()
  assert.equal(
    await check(pipe),
    `objectStorage.url: ${host} cannot be reached: nothing listens there (ECONNREFUSED).`,
  )
  const absent = String(await check(storagePipe({ url: 'http://granary.invalid/bucket/*' })))
  assert.match(absent, /^objectStorage.url: granary.invalid cannot be reached: there is no such host/)
  const linkLocal = String(await check(storagePipe({ url: 'http://169.254.169.254/latest/*' })))
  assert.match(
    linkLocal,
    /^objectStorage.url: Pipes may not connect to 169.254.169.254.*GRANARY_SOURCE_EGRESS_ALLOW/,
  )
  const strict = { ...testEgress, list: readEgressList('public') }
  assert.match(
    String(await check(pipe, { egress: strict })),
    /^objectStorage.url: Pipes may not connect to 127.0.0.1/,
  )
})

test('a role is assumed where the store is, and its refusal is told', async (t) => {
  const server = await startListingServer(
    () => 1,
    () => 'a',
  )
  t.after(() => server.close())
  server.failure = { status: 403, code: 'AccessDenied' }
  const iamRole = 'arn:aws:iam::123456789012:role/reader'
  const accessKey = { accessKeyId: 'AKID', secretKey: secret }
  const said = String(
    await check(storagePipe({ url: `${server.url}*`, authentication: 'IAM_ROLE', iamRole, accessKey })),
  )
  assert.ok(said.startsWith(`objectStorage.iamRole: The role ${iamRole} cannot be assumed: `), said)
})

test('a container', async (t) => {
  const server = await startAzureServer(t)
  server.blobs.set('daily/a.parquet', Buffer.from('abc'))
  const { connectionString } = server
  const pipe = (over: object) => storagePipe({}, {}, azureBody({ connectionString, ...over }))
  assert.deepEqual(await check(pipe({})), { ok: true, sample: null })
  const missing = String(await check(pipe({ azureContainerName: 'nothing' })))
  assert.match(missing, /^objectStorage.azureContainerName: There is no such bucket: the container nothing/)
  assert.equal(await check(pipe({ path: 'x/*' })), 'objectStorage.path: No object matches x/*.')
  server.failure = { status: 403, code: 'AuthenticationFailed' }
  assert.match(String(await check(pipe({}))), /^objectStorage.connectionString: .* refuses the credential/)
  const bad = pipe({ connectionString: 'AccountName=acme;AccountKey=c2VjcmV0;BlobEndpoint=nonsense' })
  assert.match(String(await check(bad)), /^objectStorage.connectionString: /)
})

test('a queue', async (t) => {
  const bucket = await startTestBucket(t)
  const { makeQueue } = await startSqsServer(t)
  const { queueUrl } = await makeQueue()
  const over = { url: `${bucket.url}in/*.csv`, accessKey: testKey, isContinuous: true }
  assert.deepEqual(await check(storagePipe({ ...over, queueUrl })), { ok: true, sample: null })
  const absent = String(await check(storagePipe({ ...over, queueUrl: `${queueUrl}-absent` })))
  assert.match(absent, /^objectStorage.queueUrl: The queue .*-absent does not exist/)
})

test('what is not supported says so', async () => {
  const google = storagePipe({ url: 'gs://bucket/*', serviceAccountKey: '{}' })
  assert.match(String(await check(google)), /^objectStorage.serviceAccountKey: .*HMAC/)
  const queueUrl = 'projects/p/subscriptions/s'
  const queue = storagePipe({ url: 'gs://bucket/*', accessKey: testKey, isContinuous: true, queueUrl })
  assert.match(String(await check(queue)), /^objectStorage.queueUrl: Pub\/Sub/)
})

test('files', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'granary-files-'))
  t.after(() => rmSync(root, { recursive: true }))
  writeFileSync(join(root, 'a.csv'), '1\n')
  const pipe = storagePipe({ url: `file://${root}/*.csv` })
  assert.deepEqual(await check(pipe, { fileRoots: [root] }), { ok: true, sample: null })
  assert.match(String(await check(pipe)), /^objectStorage.url: This server reads no files/)
  assert.match(
    String(await check(pipe, { fileRoots: ['/srv/nothing'] })),
    /^objectStorage.url: .*is not under a folder/,
  )
  const absent = storagePipe({ url: `file://${root}/sub/*.csv` })
  assert.match(
    String(await check(absent, { fileRoots: [root] })),
    /^objectStorage.url: There is no .*\/sub\//,
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type BucketDraft, explainTry, type PlannedBucket, planBucket, readBucketPath } from './bucket.ts'

const paths: [given: string, url: string][] = [
  ['https://host/bucket', 'https://host/bucket/'],
  ['https://host:9000/bucket/folder/', 'https://host:9000/bucket/folder/'],
  ['http://127.0.0.1:9000/bucket//a//b', 'http://127.0.0.1:9000/bucket/a/b/'],
  ['HTTPS://Host:443/Bucket', 'https://host/Bucket/'],
  ['https://host/bucket/x/../y', 'https://host/bucket/y/'],
  ['https://bucket.s3.eu-central-1.amazonaws.com', 'https://bucket.s3.eu-central-1.amazonaws.com/'],
  ['https://a.b.s3-eu-west-1.amazonaws.com/x', 'https://a.b.s3-eu-west-1.amazonaws.com/x/'],
]
for (const [given, url] of paths) {
  test(`path: ${given}`, () => assert.deepEqual(readBucketPath(given), { url }))
}

const wrong: [given: string, problem: RegExp][] = [
  ['', /an address like/],
  ['bucket/folder', /an address like/],
  ['s3://bucket/folder', /an address like/],
  ['https://host', /name the bucket/],
  ['https://s3.eu-central-1.amazonaws.com/', /name the bucket/],
  ['https://user:word@host/bucket', /without credentials/],
  ['https://user@host/bucket', /without credentials/],
  ['https://host/bucket?a=1', /no \? or #/],
  ['https://host/bucket?', /no \? or #/],
  ['https://host/bucket#', /no \? or #/],
  ['https://host/bucket/100%', /two hex digits/],
]
for (const [given, problem] of wrong) {
  test(`no path: ${given || 'nothing'}`, () => {
    const read = readBucketPath(given)
    assert.match('problem' in read ? read.problem : '', problem)
  })
}

test('a path in its one spelling stays as it is', () => {
  fc.assert(
    fc.property(fc.webUrl({ withFragments: false, withQueryParameters: false }), (text) => {
      const once = readBucketPath(text)
      if ('url' in once) assert.deepEqual(readBucketPath(once.url), once)
    }),
    { seed: 3, numRuns: 300 },
  )
})

const bucketPath = 'https://host/bucket'
const before: PlannedBucket = {
  bucketPath,
  url: `${bucketPath}/`,
  accessKeyId: 'id',
  secretAccessKey: 'secret',
  iamRoleArn: '',
  iamRoleSessionName: '',
}
const plan = (draft: BucketDraft, stored?: PlannedBucket) => {
  const planned = planBucket(draft, stored)
  return 'bucket' in planned ? planned.bucket : planned.issues.map(({ path, code }) => `${path}: ${code}`)
}

test('keys come in pairs, and the secret stays with its key id', () => {
  assert.deepEqual(plan({ bucketPath, accessKeyId: 'a' }), ['secretAccessKey: required'])
  assert.deepEqual(plan({ bucketPath, secretAccessKey: 'a' }), ['accessKeyId: required'])
  assert.deepEqual(plan({ accessKeyId: 'other' }, before), ['secretAccessKey: required'])
  assert.deepEqual(plan({ secretAccessKey: '' }, before), ['secretAccessKey: required'])
  assert.deepEqual(plan({ secretAccessKey: 'new' }, before), { ...before, secretAccessKey: 'new' })
  assert.deepEqual(plan({ accessKeyId: '' }, before), { ...before, accessKeyId: '', secretAccessKey: '' })
  assert.deepEqual(plan({ accessKeyId: 'id' }, before), before)
})

test('a session name is for a role', () => {
  assert.deepEqual(plan({ iamRoleSessionName: 'granary' }, before), ['iamRoleSessionName: not_allowed'])
  const role = { iamRoleArn: 'arn:r', iamRoleSessionName: 'granary' }
  assert.deepEqual(plan(role, before), { ...before, ...role })
  assert.deepEqual(plan({ iamRoleArn: '' }, { ...before, ...role }), ['iamRoleSessionName: not_allowed'])
})

test('why a bucket was refused is told without its secret, and not at length', () => {
  const secret = 'a/secret+key'
  const quoted = `it says ${secret} and ${encodeURIComponent(secret)}${'!'.repeat(1_000)}`
  const { message } = explainTry(quoted, { ...before, secretAccessKey: secret })
  assert.ok(!message.includes(secret) && !message.includes(encodeURIComponent(secret)))
  assert.ok(message.length < 600)
  assert.match(explainTry('as it is', { ...before, secretAccessKey: '' }).message, /: as it is$/)
})

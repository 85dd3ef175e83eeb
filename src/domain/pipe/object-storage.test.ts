import assert from 'node:assert/strict'
import { test } from 'node:test'
import { azureBody, flawsOf, planned, storageBody } from '../../../test/support/pipe-bodies.ts'
import { planCreate } from './create.ts'
import type { ObjectStorageInput } from './input.ts'
import { objectStorageAuthentications, objectStorageTypes } from './limits.ts'

const flaws = (over: ObjectStorageInput) =>
  flawsOf(planCreate(storageBody(over))).map((text) => text.replace('source.objectStorage.', ''))
const azureFlaws = (over: ObjectStorageInput) =>
  flawsOf(planCreate(azureBody(over))).map((text) => text.replace('source.objectStorage.', ''))
const sourceOf = (over: ObjectStorageInput) =>
  planned(planCreate(storageBody(over))).spec.source.objectStorage

const accessKey = { accessKeyId: 'a', secretKey: 's' }
const queue = { queueUrl: 'https://sqs.eu-west-1.amazonaws.com/1/q', isContinuous: true }

test('type, authentication and the rest are inferred', () => {
  assert.deepEqual(sourceOf({}), {
    type: 's3',
    format: 'JSONEachRow',
    url: 'https://bucket.s3.amazonaws.com/orders/**.json',
    delimiter: ',',
    compression: 'auto',
    isContinuous: false,
    queueUrl: '',
    authentication: '',
    iamRole: '',
    connectionString: '',
    path: '',
    azureContainerName: '',
    skipInitialLoad: false,
    startAfter: '',
  })
  assert.equal(sourceOf({ url: 'gs://bucket/a.json' })?.type, 'gcs')
  assert.equal(sourceOf({ url: 'https://storage.googleapis.com/b/a.json' })?.type, 'gcs')
  assert.equal(sourceOf({ serviceAccountKey: '{}' })?.authentication, 'SERVICE_ACCOUNT')
  assert.equal(sourceOf({ accessKey })?.authentication, 'IAM_USER')
  assert.equal(sourceOf({ iamRole: 'arn' })?.authentication, 'IAM_ROLE')
  const empty = {
    delimiter: '',
    compression: '',
    queueUrl: '',
    iamRole: '',
    connectionString: '',
    path: '',
  } as const
  assert.deepEqual(sourceOf({ ...empty, azureContainerName: '', startAfter: '' }), sourceOf({}))
})

test('the format follows from the name, compressed or not', () => {
  const formats = Object.entries({
    'orders.constructor': 'JSONEachRow',
    'a.csv': 'CSV',
    'a.CSV.GZ': 'CSV',
    'a.tsv.zst': 'TabSeparated',
    'a.parquet': 'Parquet',
    'a.avro': 'Avro',
    'a.jsonl': 'JSONEachRow',
    'a.unknown': 'JSONEachRow',
    '*': 'JSONEachRow',
  })
  for (const [name, format] of formats) {
    assert.equal(sourceOf({ url: `https://bucket/${name}` })?.format, format, name)
  }
})

test('azure has container, path and connection string, and no url', () => {
  const source = planned(planCreate(azureBody())).spec.source.objectStorage
  assert.equal(source?.type, 'azureblobstorage')
  assert.equal(source?.format, 'Parquet')
  assert.equal(source?.authentication, 'CONNECTION_STRING')
  assert.equal(source?.connectionString, 'DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=***')
  assert.deepEqual(azureFlaws({ path: '', url: 'https://a/b' }), ['path: required', 'url: not_allowed'])
  assert.deepEqual(azureFlaws({ azureContainerName: '' }), ['azureContainerName: required'])
  assert.deepEqual(azureFlaws({ connectionString: '' }), ['connectionString: required'])
  assert.deepEqual(azureFlaws({ path: 'a/{b,c}' }), ['path: invalid_format'])
  assert.deepEqual(azureFlaws({ path: 'https://a/b' }), ['path: invalid_format'])
  assert.deepEqual(azureFlaws({ path: 'b?sv=1&sig=x' }), ['path: invalid_format'])
})

test('a connection string that is masked or none is refused', () => {
  assert.deepEqual(azureFlaws({ connectionString: 'AccountName=acme;AccountKey=***' }), [
    'connectionString: invalid_value',
  ])
  assert.deepEqual(azureFlaws({ connectionString: 'c2VjcmV0' }), ['connectionString: invalid_format'])
})

test('others have a url, and nothing of azure', () => {
  assert.deepEqual(flaws({ url: '' }), ['url: required'])
  assert.deepEqual(flaws({ type: 's3', path: 'x', azureContainerName: 'y' }), [
    'azureContainerName: not_allowed',
    'path: not_allowed',
  ])
  assert.deepEqual(flaws({ url: 'bucket/key' }), ['url: invalid_format'])
  assert.deepEqual(flaws({ url: 'https://b/{1..3}.json' }), ['url: invalid_format'])
  assert.deepEqual(flaws({ url: 'https://b/k?X-Amz-Signature=x' }), ['url: not_allowed'])
})

test('each type takes its own methods only', () => {
  const allowed = {
    s3: 'IAM_ROLE IAM_USER',
    gcs: 'IAM_USER SERVICE_ACCOUNT',
    dospaces: 'IAM_USER',
    azureblobstorage: 'CONNECTION_STRING',
    cloudflarer2: 'IAM_USER',
    ovhobjectstorage: 'IAM_USER',
    file: '',
  }
  for (const type of objectStorageTypes) {
    const taken = objectStorageAuthentications.filter((authentication) => {
      const secrets = {
        IAM_ROLE: { iamRole: 'arn' },
        IAM_USER: { accessKey },
        SERVICE_ACCOUNT: { serviceAccountKey: '{}' },
        CONNECTION_STRING: {},
      }[authentication]
      const azure = type === 'azureblobstorage' ? azureBody().source.objectStorage : {}
      return flaws({ ...azure, type, authentication, ...secrets }).length === 0
    })
    assert.equal(taken.join(' '), allowed[type], type)
  }
})

test('secrets go with the method', () => {
  assert.deepEqual(flaws({ authentication: 'IAM_USER' }), ['accessKey: required'])
  assert.deepEqual(flaws({ authentication: 'IAM_ROLE' }), ['iamRole: required'])
  assert.deepEqual(flaws({ authentication: 'IAM_ROLE', iamRole: 'arn', accessKey }), [])
  assert.deepEqual(flaws({ authentication: 'IAM_USER', accessKey, serviceAccountKey: '{}', type: 's3' }), [
    'serviceAccountKey: not_allowed',
  ])
})

test('a queue needs a continuous pipe, authentication, and a store that has queues', () => {
  assert.deepEqual(flaws({ ...queue, accessKey }), [])
  assert.deepEqual(flaws({ ...queue, isContinuous: false, accessKey }), ['queueUrl: not_allowed'])
  assert.deepEqual(flaws(queue), ['queueUrl: not_allowed'])
  assert.deepEqual(flaws({ ...queue, type: 'dospaces', accessKey }), ['queueUrl: not_allowed'])
  assert.deepEqual(flaws({ ...queue, accessKey, queueUrl: 'https://u:p@sqs/q' }), ['queueUrl: not_allowed'])
  assert.deepEqual(flaws({ ...queue, accessKey, queueUrl: 'q' }), ['queueUrl: invalid_format'])
  assert.deepEqual(flaws({ ...queue, type: 'gcs', accessKey, queueUrl: 'projects/p/subscriptions/s' }), [])
})

test('the initial load is skipped only with a queue, and not together with a start', () => {
  assert.deepEqual(flaws({ skipInitialLoad: true }), ['skipInitialLoad: not_allowed'])
  assert.deepEqual(flaws({ ...queue, accessKey, skipInitialLoad: true }), [])
  assert.deepEqual(flaws({ ...queue, accessKey, skipInitialLoad: true, startAfter: 'a' }), [
    'startAfter: not_allowed',
  ])
})

test('a delimiter is one byte that rows can live with', () => {
  for (const delimiter of [',', '\t', '|', ';']) assert.deepEqual(flaws({ delimiter }), [])
  for (const delimiter of ['"', '\n', 'ü', '\\'])
    assert.deepEqual(flaws({ delimiter }), ['delimiter: invalid_value'])
})

test('files of the server have an absolute path and no authentication', () => {
  assert.equal(sourceOf({ url: 'file:///srv/in/*.csv.gz' })?.type, 'file')
  assert.equal(sourceOf({ url: 'file:///srv/in/*.csv.gz' })?.format, 'CSV')
  for (const url of [
    'file://srv/in/*.csv',
    'file:///srv/../etc/x',
    'file:///srv/%2e%2E/x',
    'file:///',
    'file:/a',
  ])
    assert.deepEqual(flaws({ url }), ['url: invalid_format'], url)
  assert.deepEqual(flaws({ url: 'file:///srv/{a,b}.csv' }), ['url: invalid_format'])
  assert.deepEqual(flaws({ url: 'file:///srv/a.csv', type: 's3' }), ['url: invalid_format'])
  assert.deepEqual(flaws({ url: 'file:///srv/*.csv', accessKey }), ['authentication: invalid_value'])
})

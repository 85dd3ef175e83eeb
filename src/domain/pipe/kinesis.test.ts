import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flawsOf, kinesisBody, planned } from '../../../test/support/pipe-bodies.ts'
import { planCreate } from './create.ts'
import type { KinesisInput } from './input.ts'

const flaws = (over: KinesisInput) =>
  flawsOf(planCreate(kinesisBody(over))).map((text) => text.replace('source.kinesis.', ''))
const sourceOf = (over: KinesisInput) => planned(planCreate(kinesisBody(over))).spec.source.kinesis

test('start and authentication are inferred', () => {
  assert.deepEqual(sourceOf({ timestamp: 0, iamRole: '' }), {
    format: 'JSONEachRow',
    streamName: 'clicks',
    region: 'eu-west-1',
    useEnhancedFanOut: false,
    iteratorType: 'TRIM_HORIZON',
    timestamp: 0,
    authentication: 'IAM_USER',
    iamRole: '',
  })
  assert.equal(sourceOf({ timestamp: 1_615_766_400 })?.iteratorType, 'AT_TIMESTAMP')
  assert.equal(sourceOf({ iamRole: 'arn' })?.authentication, 'IAM_USER')
  const none = { accessKeyId: '', secretKey: '' }
  assert.equal(sourceOf({ iamRole: 'arn', accessKey: none })?.authentication, 'IAM_ROLE')
  assert.deepEqual(flaws({ accessKey: none }), ['accessKey: required'])
})

test('stream and region are required', () => {
  assert.deepEqual(flaws({ streamName: '', region: '' }), ['streamName: required', 'region: required'])
  assert.deepEqual(flaws({ streamName: 'a b' }), ['streamName: invalid_format'])
})

test('methods have what they need', () => {
  assert.deepEqual(flaws({ authentication: 'IAM_ROLE' }), ['iamRole: required'])
  assert.deepEqual(flaws({ authentication: 'IAM_USER', accessKey: {} }), ['accessKey: required'])
})

test('the timestamp is in seconds and goes with its iterator', () => {
  assert.deepEqual(flaws({ timestamp: 99_999_999_999 }), [])
  assert.deepEqual(flaws({ timestamp: 1e11 }), ['timestamp: out_of_range'])
  assert.deepEqual(flaws({ timestamp: 1_615_766_400_000 }), ['timestamp: out_of_range'])
  assert.deepEqual(flaws({ iteratorType: 'AT_TIMESTAMP' }), ['timestamp: required'])
  assert.deepEqual(flaws({ iteratorType: 'LATEST', timestamp: 1 }), ['timestamp: not_allowed'])
})

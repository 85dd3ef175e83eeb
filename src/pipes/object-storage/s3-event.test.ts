import assert from 'node:assert/strict'
import { test } from 'node:test'
import { s3Event } from '../../../test/support/sqs-server.ts'
import { createdObjects } from './s3-event.ts'

const timeMs = Date.parse('2026-10-01T12:00:00.000Z')
const object = { key: 'a/b +ü.json', etag: 'abc', bytes: 7 }
const direct = s3Event('logs', object, timeMs)
const expected = [{ bucket: 'logs', ...object, eventMs: timeMs }]
const [record] = direct.Records

test('an S3 notification, direct, through SNS raw or wrapped, and by EventBridge', () => {
  assert.deepEqual(createdObjects(JSON.stringify(direct)), expected)
  const wrapped = { Type: 'Notification', Message: JSON.stringify(direct) }
  assert.deepEqual(createdObjects(JSON.stringify(wrapped)), expected)
  const detail = { bucket: { name: 'logs' }, object: { key: object.key, size: 7, etag: 'abc' } }
  const event = { 'detail-type': 'Object Created', source: 'aws.s3', time: '2026-10-01T12:00:00Z', detail }
  assert.deepEqual(createdObjects(JSON.stringify(event)), expected)
})

test('several objects in one message, removals among them', () => {
  const removed = { ...record, eventName: 'ObjectRemoved:Delete' }
  const body = JSON.stringify({
    Records: [record, removed, { ...record, eventName: 's3:ObjectCreated:Copy' }],
  })
  assert.deepEqual(createdObjects(body), [...expected, ...expected])
})

test('what tells of no object', () => {
  const bodies = ['', 'hello', 'null', '[]', '{}', '{"Records":7}', '{"Records":[null]}']
  const test = { Service: 'Amazon S3', Event: 's3:TestEvent', Bucket: 'logs' }
  const deleted = { 'detail-type': 'Object Deleted', detail: { object: { key: 'a' } } }
  for (const body of [...bodies, JSON.stringify(test), JSON.stringify(deleted)])
    assert.deepEqual(createdObjects(body), [], body)
})

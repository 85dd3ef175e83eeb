import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatPath, issueCodes, under } from './issue.ts'

test('a path is written as a person would', () => {
  assert.equal(formatPath(['source', 'kafka', 'brokers']), 'source.kafka.brokers')
  assert.equal(formatPath(['tiles', 3, 'series', 0, 'type']), 'tiles[3].series[0].type')
  assert.equal(formatPath([0, 'name']), '[0].name')
  assert.equal(formatPath(['a']), 'a')
  assert.equal(formatPath([]), '')
})

test('issues of a part are put under its place, and stay the same otherwise', () => {
  const issues = [{ path: ['name'], code: 'required', message: 'is required' } as const]
  assert.deepEqual(under(['tiles', 1], issues), [{ ...issues[0], path: ['tiles', 1, 'name'] }])
  assert.deepEqual(issues[0]?.path, ['name'])
})

test('codes are distinct words', () => {
  assert.equal(new Set(issueCodes).size, issueCodes.length)
  for (const code of issueCodes) assert.match(code, /^[a-z_]+$/)
})

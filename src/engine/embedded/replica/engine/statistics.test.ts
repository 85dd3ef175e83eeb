import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readStatistics } from './statistics.ts'

test('what was read is told at the end of some formats', () => {
  const json =
    '"rows": 1,\n\n\t"statistics":\n\t{\n\t\t"elapsed": 0.1,\n\t\t"rows_read": 12,\n\t\t"bytes_read": 98\n\t}\n}\n'
  const xml =
    '\t<statistics>\n\t\t<elapsed>0.1</elapsed>\n\t\t<rows_read>12</rows_read>\n\t\t<bytes_read>98</bytes_read>\n\t</statistics>\n</result>\n'
  assert.deepEqual(readStatistics('JSON', Buffer.from(json)), { rows: 12, bytes: 98 })
  assert.deepEqual(readStatistics('XML', Buffer.from(xml)), { rows: 12, bytes: 98 })
  assert.equal(readStatistics('JSONEachRow', Buffer.from(json)), null)
  assert.equal(readStatistics('JSON', Buffer.from('{"data": [{"rows_read": 1}]}')), null)
  assert.equal(readStatistics('JSON', Buffer.alloc(0)), null)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toCsv } from './to-csv.ts'

test('a row for each time, gaps empty, names quoted and harmless in a spreadsheet', () => {
  const series = [
    { name: 'a,"b"', values: [1, null], colour: 1 },
    { name: '=cmd()', values: [0.5, 2], colour: 2 },
  ]
  assert.equal(
    toCsv([0, 60_000], series),
    `time,"a,""b""",'=cmd()\r\n1970-01-01T00:00:00.000Z,1,0.5\r\n1970-01-01T00:01:00.000Z,,2\r\n`,
  )
})

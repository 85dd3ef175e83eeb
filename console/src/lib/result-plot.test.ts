import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choosePlot, plotData, plotOptions } from './result-plot.ts'

const columns = [
  { name: 't', type: 'DateTime' },
  { name: 'service', type: 'LowCardinality(String)' },
  { name: 'requests', type: 'UInt64' },
  { name: 'p95', type: 'Nullable(Float32)' },
]
const none = { x: '', y: '', by: '' }

test('a result with a time and a number is drawn by them, one line per text', () => {
  const options = plotOptions(columns)
  assert.deepEqual(options, { times: ['t'], numbers: ['requests', 'p95'], groups: ['service'] })
  assert.deepEqual(choosePlot(options, none), { x: 't', y: 'requests', by: 'service' })
  assert.deepEqual(choosePlot(options, { x: 'gone', y: 'p95', by: '-' }), { x: 't', y: 'p95', by: '' })
  assert.equal(choosePlot(plotOptions(columns.slice(1)), none), null)
})

test('rows are lines over the times of all of them; what is missing is a gap', () => {
  const rows = [
    ['2026-01-02 00:05:00', 'api', '7', 1],
    ['2026-01-02 00:00:00', 'api', '18446744073709551615', null],
    ['2026-01-02 00:05:00', 'web', '3', 2],
    ['not a time', 'web', '1', 1],
  ]
  const drawn = plotData(columns, rows, { x: 't', y: 'requests', by: 'service' })
  assert.deepEqual(drawn.times, [Date.UTC(2026, 0, 2), Date.UTC(2026, 0, 2, 0, 5)])
  assert.deepEqual(drawn.lines, [
    { name: 'api', values: [18446744073709552000, 7] },
    { name: 'web', values: [null, 3] },
  ])
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seriesOfType } from './series-of-type.ts'

const series = {
  ...{ type: 'time', dataSource: 'web', aggFn: 'p95', field: 'duration', where: 'level:error' },
  ...{ groupBy: ['service'], displayType: 'line', alias: 'p95' },
}

describe('a series of another type', () => {
  it('keeps what belongs there', () => {
    assert.deepEqual(seriesOfType(series, 'number'), {
      ...{ type: 'number', dataSource: 'web', aggFn: 'p95', field: 'duration', where: 'level:error' },
      ...{ groupBy: ['service'], alias: 'p95' },
    })
    assert.deepEqual(seriesOfType(series, 'search'), {
      ...{ type: 'search', dataSource: 'web', aggFn: '', where: 'level:error', groupBy: [], fields: [] },
    })
  })
  it('counts again after it was a text', () => {
    const text = seriesOfType(series, 'markdown')
    assert.equal(seriesOfType(text, 'time')['aggFn'], 'count')
  })
})

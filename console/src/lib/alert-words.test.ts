import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditionWords, intervalWords } from './alert-words.ts'

test('conditions are said as they are decided', () => {
  assert.equal(conditionWords({ thresholdType: 'above', threshold: 100 }), 'at least 100')
  assert.equal(conditionWords({ thresholdType: 'between', threshold: 1, thresholdMax: 5 }), 'between 1 and 5')
  assert.equal(conditionWords({ thresholdType: 'below', threshold: null }), 'below ?')
})

test('intervals have their units', () => {
  assert.deepEqual(['1m', '30m', '6h', '1d'].map(intervalWords), ['1 min', '30 min', '6 h', '1 day'])
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { writerOf } from './value-format.ts'

describe('values of tiles', () => {
  it('are short on axes and whole in cells', () => {
    assert.equal(writerOf(undefined)(1284), '1.28 k')
    assert.equal(writerOf(undefined, { isWhole: true })(1284), '1,284')
    assert.equal(writerOf(undefined, { isWhole: true })(12_400_000), '12.4 m')
    assert.equal(writerOf(undefined, { isWhole: true })(0.1 + 0.2), '0.3')
  })
  it('are written as their series asks', () => {
    assert.equal(writerOf({ output: 'percent' })(0.0184), '1.84 %')
    assert.equal(writerOf({ output: 'percent', mantissa: 1 })(0.0184), '1.8 %')
    assert.equal(writerOf({ output: 'time', factor: 0.001 })(84), '84 ms')
    assert.equal(writerOf({ output: 'byte' })(1_920_000), '1.92 MB')
    assert.equal(writerOf({ output: 'byte', decimalBytes: false })(1536), '1.5 KiB')
    assert.equal(
      writerOf({ output: 'currency', currencySymbol: '€', mantissa: 2, thousandSeparated: true })(1234.5),
      '€1,234.50',
    )
    assert.equal(writerOf({ output: 'number', unit: 'ms' })(12), '12 ms')
    assert.equal(writerOf({ output: 'throughput' })(42_100), '42.1 k/s')
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitAtFault } from './fault.ts'

test('the value of the field at fault is found in the text of the record', () => {
  assert.deepEqual(splitAtFault('{"qty":1,"price": "n\\"a","x":2}', 'price'), [
    '{"qty":1,"price": ',
    '"n\\"a"',
    ',"x":2}',
  ])
  assert.deepEqual(splitAtFault('{"a.b":-1}', 'a.b'), ['{"a.b":', '-1', '}'])
  assert.deepEqual(splitAtFault('{"q":"cut o', 'q'), ['{"q":', '"cut o', ''])
})

test('a record without the field, or a fault without one, is not marked', () => {
  assert.equal(splitAtFault('nothing', 'price'), null)
  assert.equal(splitAtFault('{"price":1}', null), null)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError } from '../../engine-error.ts'
import { createStatementSlots } from './statement-slots.ts'

const never = new AbortController().signal

test('so many run, so many wait, the others are refused', async () => {
  const slots = createStatementSlots({ max: 2, maxWaiting: 1 })
  const leave = await slots.enter(never)
  await slots.enter(never)
  let hasEntered = false
  const third = slots.enter(never).then((leaveThird) => {
    hasEntered = true
    return leaveThird
  })
  await assert.rejects(slots.enter(never), (error) => error instanceof EngineError && error.code === 202)
  assert.deepEqual([slots.taken, slots.waiting, hasEntered], [2, 1, false])
  leave()
  leave()
  const leaveThird = await third
  assert.deepEqual([slots.taken, slots.waiting], [2, 0])
  leaveThird()
  assert.equal(slots.taken, 1)
})

test('they enter in the order in which they came, without those who went away', async () => {
  const slots = createStatementSlots({ max: 1, maxWaiting: 9 })
  const leave = await slots.enter(never)
  const order: string[] = []
  const gone = new AbortController()
  const wait = async (name: string, signal = never) => {
    const leaveThis = await slots.enter(signal)
    order.push(name)
    leaveThis()
  }
  const waits = [wait('a'), assert.rejects(wait('b', gone.signal), /gone/), wait('c')]
  gone.abort(new Error('gone'))
  leave()
  await Promise.all(waits)
  assert.deepEqual(order, ['a', 'c'])
  assert.deepEqual([slots.taken, slots.waiting], [0, 0])
  await assert.rejects(createStatementSlots({ max: 0, maxWaiting: 1 }).enter(gone.signal), /gone/)
})

test('who takes several slots waits until there are so many, and nobody overtakes it', async () => {
  const slots = createStatementSlots({ max: 4, maxWaiting: 5, unit: ' bytes' })
  const leaveFirst = await slots.enter(never, 2)
  const leaveSecond = await slots.enter(never, 1)
  const entered: string[] = []
  const large = slots.enter(never, 3).then((leave) => {
    entered.push('large')
    return leave
  })
  const small = slots.enter(never, 1).then(() => entered.push('small'))
  leaveSecond()
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([entered, slots.taken], [[], 2])
  leaveFirst()
  await Promise.all([large, small])
  assert.deepEqual([entered, slots.taken], [['large', 'small'], 4])
  ;(await large)()
  assert.equal(slots.taken, 1)
})

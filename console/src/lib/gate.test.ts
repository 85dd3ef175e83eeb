import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createGate } from './gate.ts'

describe('a gate', () => {
  it('lets so many in at a time, in their order', async () => {
    const gate = createGate(2)
    const { signal } = new AbortController()
    const open: (() => void)[] = []
    const begun: number[] = []
    const all = [0, 1, 2, 3].map((i) =>
      gate.run(() => {
        begun.push(i)
        return new Promise<number>((resolve) => open.push(() => resolve(i)))
      }, signal),
    )
    await Promise.resolve()
    assert.deepEqual(begun, [0, 1])
    open[1]?.()
    assert.equal(await all[1], 1)
    await Promise.resolve()
    assert.deepEqual(begun, [0, 1, 2])
    open[0]?.()
    open[2]?.()
    assert.equal(await all[0], 0)
    assert.equal(await all[2], 2)
    await Promise.resolve()
    open[3]?.()
    assert.equal(await all[3], 3)
  })
  it('forgets whoever gives up while waiting', async () => {
    const gate = createGate(1)
    let end = () => {}
    const first = gate.run(
      () => new Promise<void>((resolve) => (end = resolve)),
      new AbortController().signal,
    )
    const giver = new AbortController()
    const second = gate.run(async () => assert.fail('it never gets in'), giver.signal)
    giver.abort(new Error('gone'))
    await assert.rejects(second, /gone/)
    end()
    await first
    assert.equal(await gate.run(async () => 'in', new AbortController().signal), 'in')
  })
})

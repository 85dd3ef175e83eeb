import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Order, startDriverChild } from '../../../test/support/driver-child.ts'
import { callerOf, createEmbeddedRig, until } from '../../../test/support/embedded-rig.ts'
import { engineSpec, gib } from '../../../test/support/engine-caller.ts'

const spec = engineSpec()
const warehouse = spec.warehouseId

test('cut off between any two steps of apply and destroy: what was taken is kept, and nothing is left over', async (t) => {
  const orders: Order[] = [
    { kind: 'bring', spec: engineSpec() },
    { kind: 'bring', spec: engineSpec({ generation: 2, memoryBytesPerReplica: 16 * gib }) },
    { kind: 'destroy', spec: engineSpec() },
  ]
  const crashedAt: string[] = []
  for (let step = 1; ; step += 1) {
    const rig = createEmbeddedRig(t)
    const child = startDriverChild(rig.dataDir, orders, step)
    t.after(() => child.process.kill('SIGKILL'))
    let isOver = false
    void child.ended.then(() => {
      isOver = true
    })
    await until('it crashed or is done', () => isOver || child.done() === orders.length)
    if (!isOver) break
    crashedAt.push(child.lastStep())

    const done = child.done()
    const engine = await rig.open()
    const { observe, destroy, goneAfter } = callerOf(engine)
    const found = await observe(spec)
    // Acknowledged calls must have survived; others may or may not have.
    if (done < 2)
      assert.ok(found.acceptedGeneration >= done, `${child.lastStep()}: ${found.acceptedGeneration}`)
    if (done === 2)
      assert.ok(found.power === 'on' || found.power === 'turning_off' || found.power === 'absent')
    if (found.power === 'on' || found.power === 'turning_on') {
      await until(
        'it comes up',
        async () => (await observe(spec)).settledGeneration === found.acceptedGeneration,
      )
      assert.equal((await rig.livePids()).length, 1, child.lastStep())
      assert.deepEqual(
        rig.events(warehouse).filter(({ event }) => event === 'overlap'),
        [],
      )
    }
    await goneAfter(spec, () => destroy(spec, 'purge'))
    assert.deepEqual(await rig.livePids(), [])
    await engine.close()
    const left = readdirSync(join(rig.dataDir, 'warehouses')).filter((name) => !name.startsWith('.'))
    assert.deepEqual(left, [], child.lastStep())
    assert.deepEqual(rig.log.count('error', ''), 0)
  }
  for (const name of [
    'write',
    'rename',
    'sync',
    'spawn',
    'note the process',
    'SIGTERM',
    'move to the trash',
    'delete',
  ]) {
    assert.ok(crashedAt.includes(name), `never cut off at: ${name}`)
  }
})

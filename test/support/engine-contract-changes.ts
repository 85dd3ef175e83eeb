import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EngineObservation } from '../../src/engine/engine.ts'
import { brief, type CreateEngineRig, createCaller, engineSpec, gib, refOf } from './engine-caller.ts'

/** How changes apply to running services. */
export function testEngineChanges(createRig: CreateEngineRig): void {
  test('engine: a service comes up with the replicas that were asked for, one of which writes', async (t) => {
    const rig = await createRig(t)
    const { bring } = createCaller(rig)
    const seen: EngineObservation['power'][] = []
    const observed = await bring(engineSpec({ replicas: 3 }), ({ power }) => seen.push(power))
    assert.deepEqual(brief(observed), { power: 'on', accepted: 1, settled: 1, replicas: 3 })
    assert.ok(
      seen.every((power) => power === 'turning_on' || power === 'on'),
      `${seen}`,
    )
    assert.deepEqual([observed.problem, observed.progress], [null, ''])
    assert.notEqual(observed.version, '')
    assert.equal(new Set(observed.replicas.map(({ id }) => id)).size, 3)
    assert.equal(new Set(observed.replicas.map(({ address }) => address)).size, 3)
    for (const { address, canRead, memoryBytes, version } of observed.replicas) {
      assert.match(address, /^(unix:\/|https?:\/\/)/)
      assert.deepEqual([canRead, memoryBytes, version !== ''], [true, 8 * gib, true])
    }
    const writers = observed.replicas.filter(({ canWrite }) => canWrite)
    assert.ok(writers.length >= 1)
    if (writers.some(({ role }) => role === 'writer')) assert.equal(writers.length, 1)
  })

  test('engine: more and fewer replicas, and those that stay keep their names', async (t) => {
    const rig = await createRig(t)
    const { bring } = createCaller(rig)
    const idsOf = ({ replicas }: EngineObservation) =>
      replicas.filter(({ canRead }) => canRead).map(({ id }) => id)
    const two = idsOf(await bring(engineSpec({ replicas: 2 })))
    const four = idsOf(await bring(engineSpec({ replicas: 4, generation: 2 })))
    assert.deepEqual([two.length, four.length], [2, 4])
    assert.ok(two.every((id) => four.includes(id)))
    assert.deepEqual(idsOf(await bring(engineSpec({ replicas: 2, generation: 3 }))), two)
  })

  test('engine: another memory limit reaches every replica, and somebody can be read from all the time', async (t) => {
    const rig = await createRig(t)
    const { bring } = createCaller(rig)
    const first = await bring(engineSpec({ replicas: 3 }))
    const unreadable: EngineObservation[] = []
    const next = await bring(
      engineSpec({ replicas: 3, generation: 2, memoryBytesPerReplica: 16 * gib }),
      (observed) => {
        if (!observed.replicas.some(({ canRead }) => canRead)) unreadable.push(observed)
      },
    )
    assert.deepEqual(unreadable, [])
    const serving = next.replicas.filter(({ canRead }) => canRead)
    assert.deepEqual(
      serving.map(({ id, memoryBytes }) => [id, memoryBytes]),
      first.replicas.map(({ id }) => [id, 16 * gib]),
    )
  })

  test('engine: asleep and off nothing serves, and on brings it back', async (t) => {
    const rig = await createRig(t)
    const { bring } = createCaller(rig)
    await bring(engineSpec({ replicas: 2 }))
    let generation = 1
    const powers = rig.engine.capabilities().idle ? (['idle', 'off'] as const) : (['off'] as const)
    for (const power of powers) {
      generation += 1
      const down = await bring(engineSpec({ replicas: 2, generation, power }))
      assert.deepEqual([down.power, down.replicas.filter(({ canRead }) => canRead)], [power, []])
      generation += 1
      const up = await bring(engineSpec({ replicas: 2, generation }))
      assert.deepEqual(brief(up), { power: 'on', accepted: generation, settled: generation, replicas: 2 })
    }
  })

  test('engine: a change of mind before the first is true: the last one counts', async (t) => {
    const rig = await createRig(t)
    const { apply, bring } = createCaller(rig)
    await apply(engineSpec({ replicas: 2 }))
    await apply(engineSpec({ power: 'off', generation: 2 }))
    await apply(engineSpec({ replicas: 3, generation: 3, memoryBytesPerReplica: 12 * gib }))
    const observed = await bring(engineSpec({ replicas: 1, generation: 4, memoryBytesPerReplica: 4 * gib }))
    const serving = observed.replicas.filter(({ canRead }) => canRead)
    assert.deepEqual(
      serving.map(({ memoryBytes }) => memoryBytes),
      [4 * gib],
    )
  })

  test('engine: a further service of a warehouse adds replicas, but where one writes no second writer', async (t) => {
    const rig = await createRig(t)
    const { bring, observe } = createCaller(rig)
    if (!rig.engine.capabilities().sharedStorage) return t.skip('services of a warehouse do not share data')
    const [primary, further] = [refOf('a', 'w'), refOf('b', 'w')]
    const first = await bring(engineSpec({ ...primary, replicas: 2 }))
    const second = await bring(engineSpec({ ...further, role: 'secondary', replicas: 2 }))
    const all = [...first.replicas, ...second.replicas]
    assert.equal(new Set(all.map(({ id }) => id)).size, 4)
    assert.equal(all.filter(({ role }) => role === 'writer').length, 1)
    assert.ok(second.replicas.every(({ canWrite, role }) => role === 'peer' || !canWrite))
    // Each service of a warehouse has its own power state.
    await bring(engineSpec({ ...primary, replicas: 2, generation: 2, power: 'off' }))
    assert.equal((await observe(further)).power, 'on')
  })

  test('engine: what runs comes back by itself after the engine began again', async (t) => {
    const rig = await createRig(t)
    const { bring, observe } = createCaller(rig)
    await bring(engineSpec({ replicas: 2, generation: 5 }))
    rig.engine = await rig.reopen()
    await rig.until('it runs again', async () => {
      const { power, settledGeneration, replicas } = await observe(engineSpec())
      return (
        power === 'on' && settledGeneration === 5 && replicas.filter(({ canRead }) => canRead).length === 2
      )
    })
  })

  test('engine: a running service can be removed, and is gone only when nothing of it is left', async (t) => {
    const rig = await createRig(t)
    const { bring, destroy, goneAfter, observe } = createCaller(rig)
    await bring(engineSpec({ replicas: 2 }))
    await destroy(engineSpec(), 'purge')
    assert.ok(['turning_off', 'absent', 'on'].includes((await observe(engineSpec())).power))
    await goneAfter(engineSpec(), () => destroy(engineSpec(), 'purge'))
    assert.deepEqual(brief(await observe(engineSpec())), {
      power: 'absent',
      accepted: 0,
      settled: 0,
      replicas: 0,
    })
  })

  test('engine: whoever listens hears of a service that comes up, until he listens no more', async (t) => {
    const rig = await createRig(t)
    const { bring } = createCaller(rig)
    const heard: string[] = []
    const stop = rig.engine.onChange(({ serviceId, warehouseId }) =>
      heard.push(`${warehouseId}/${serviceId}`),
    )
    await bring(engineSpec())
    await rig.until('it was heard', () => heard.length > 0)
    assert.deepEqual(new Set(heard), new Set(['warehouse-a/service-a']))
    stop()
    heard.length = 0
    await bring(engineSpec({ power: 'off', generation: 2 }))
    assert.deepEqual(heard, [])
  })
}

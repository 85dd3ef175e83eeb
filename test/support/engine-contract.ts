import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brief, type CreateEngineRig, createCaller, engineSpec, refOf } from './engine-caller.ts'
import { testEngineChanges } from './engine-contract-changes.ts'

export interface EngineContractOptions {
  /** Starting a replica takes many seconds, so only tests without a replica run. */
  costly?: boolean
}

/** What every engine must do, however slow or unreliable. Registers the tests. */
export function testEngine(createRig: CreateEngineRig, { costly = false }: EngineContractOptions = {}): void {
  testEngineIntent(createRig)
  if (!costly) testEngineChanges(createRig)
}

/** Tests that need no running replica. */
function testEngineIntent(createRig: CreateEngineRig): void {
  test('engine: it says what it is and how long things take', async (t) => {
    const { engine } = await createRig(t)
    assert.notEqual(engine.kind, '')
    const { startEstimateMs, wakeEstimateMs, readerLagMs } = engine.capabilities()
    for (const ms of [startEstimateMs, wakeEstimateMs, readerLagMs]) assert.ok(Number.isFinite(ms) && ms >= 0)
  })

  test('engine: of a service that was never applied there is nothing, and removing it is no error', async (t) => {
    const rig = await createRig(t)
    const { observe, destroy, adopt } = createCaller(rig)
    const unknown = { serviceId: 'nobody', warehouseId: 'nowhere' }
    assert.deepEqual(brief(await observe(unknown)), { power: 'absent', accepted: 0, settled: 0, replicas: 0 })
    await destroy(unknown, 'keep')
    await destroy(unknown, 'purge')
    assert.equal((await observe(unknown)).power, 'absent')
    assert.deepEqual(await adopt(), [])
  })

  test('engine: a generation is taken once; an older one is refused for good and changes nothing', async (t) => {
    const rig = await createRig(t)
    const { apply, observe } = createCaller(rig)
    const spec = engineSpec({ power: 'off', generation: 7 })
    assert.deepEqual(await apply(spec), { accepted: 7 })
    const before = brief(await observe(spec))
    assert.equal(before.accepted, 7)
    const older = await apply({ ...spec, generation: 6, power: 'on' })
    assert.ok('refused' in older && older.refused !== '' && !older.retryable, JSON.stringify(older))
    assert.deepEqual(await apply({ ...spec, power: 'on', replicas: 3 }), { accepted: 7 })
    await rig.until('it is off', async () => (await observe(spec)).settledGeneration === 7)
    assert.deepEqual(brief(await observe(spec)), { power: 'off', accepted: 7, settled: 7, replicas: 0 })
  })

  test('engine: of fifty changes at once the newest stays, whatever the order', async (t) => {
    const rig = await createRig(t)
    const { apply, observe } = createCaller(rig)
    const generations = Array.from({ length: 50 }, (_, index) => ((index * 17) % 50) + 1)
    const results = await Promise.all(
      generations.map((generation) => apply(engineSpec({ power: 'off', generation }))),
    )
    for (const [index, result] of results.entries()) {
      if ('accepted' in result) assert.equal(result.accepted, generations[index])
      else assert.equal(result.retryable, false)
    }
    assert.ok(results.some((result) => 'accepted' in result && result.accepted === 50))
    assert.equal((await observe(engineSpec())).acceptedGeneration, 50)
  })

  test('engine: what it holds, it names, also after it began again; what is gone it does not', async (t) => {
    const rig = await createRig(t)
    const { apply, destroy, adopt, observe, goneAfter } = createCaller(rig)
    const [one, two] = [refOf('a', 'w'), refOf('b', 'w')]
    await apply(engineSpec({ ...one, power: 'off', generation: 3 }))
    await apply(engineSpec({ ...two, power: 'off', role: 'secondary' }))
    assert.deepEqual(await adopt(), [one, two])
    rig.engine = await rig.reopen()
    assert.deepEqual(await adopt(), [one, two])
    assert.equal((await observe(one)).acceptedGeneration, 3)
    await goneAfter(two, () => destroy(two, 'keep'))
    assert.deepEqual(await adopt(), [one])
    await goneAfter(one, () => destroy(one, 'purge'))
    rig.engine = await rig.reopen()
    assert.deepEqual(await adopt(), [])
    // After the purge, a service with the same id may be created, with generations from the start.
    assert.deepEqual(await apply(engineSpec({ ...one, power: 'off' })), { accepted: 1 })
  })

  test('engine: its words for tables are statements, with names quoted', async (t) => {
    const { engine } = await createRig(t)
    const { tableEngine, createDatabase, deduplication } = engine.sql()
    assert.match(tableEngine('MergeTree'), /^\w*MergeTree/)
    assert.match(tableEngine('ReplacingMergeTree'), /^\w*ReplacingMergeTree/)
    assert.match(createDatabase('a`b'), /^CREATE DATABASE IF NOT EXISTS `a\\`b`/)
    assert.ok(Object.values(deduplication.tableSettings).every((value) => value > 0))
  })

  test('engine: closed, it takes nothing more, and closing again is no error', async (t) => {
    const rig = await createRig(t)
    await rig.engine.close()
    await rig.engine.close()
    const taken = await rig.engine.apply(engineSpec()).catch((error: unknown) => ({ refused: String(error) }))
    assert.ok('refused' in taken)
  })
}

import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { craftBackup } from '../../../test/support/attacks/crafted-backup.ts'
import { callerOf, createEmbeddedRig, until } from '../../../test/support/embedded-rig.ts'
import { brief, engineSpec } from '../../../test/support/engine-caller.ts'
import { type Behaviour, behaviourFile } from '../../../test/support/fake-replica-process.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { LocateBackup } from './backup/restore.ts'
import type { EmbeddedEngine } from './driver.ts'

const spec = engineSpec({ restoreFrom: 'b1', replicas: 2 })
const source: LocateBackup = async (backupId) => ({ backupId, place: { kind: 'local' } })

function createRig(t: TestContext) {
  const rig = createEmbeddedRig(t)
  const folder = join(rig.dataDir, 'backups/b1')
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, '.backup'),
    '<config><version>1</version><uuid>u</uuid><contents></contents></config>',
  )
  return rig
}

const restores = (rig: ReturnType<typeof createRig>) =>
  rig.events(spec.warehouseId).filter(({ event }) => event === 'restore').length
/** Waits until the driver has the writer's answer too. */
const isUnderWay = (engine: EmbeddedEngine) =>
  until('it tells how far it is', async () => {
    const { progress } = await engine.observe(spec)
    return progress === 'restoring the backup: 40 % (0.0 kB of 0.1 kB)'
  })
const problem = async (engine: EmbeddedEngine) => (await engine.observe(spec)).problem

/** Writes beside the data directory, which is recreated for each attempt. */
function behave({ dataDir }: ReturnType<typeof createRig>, behaviour: Behaviour): void {
  const warehouse = join(dataDir, 'warehouses', spec.warehouseId)
  mkdirSync(warehouse, { recursive: true })
  writeFileSync(join(warehouse, behaviourFile), JSON.stringify({ '*': behaviour }))
}

test('the next spare waits while a restore is young, and no longer', async (t) => {
  const rig = createRig(t)
  const grown = new AbortController()
  const sleep: Clock['sleep'] = async (ms, signal) => {
    // The 10 s for which a restore is young; no other sleep in this test is as long.
    if (ms === 10_000)
      return new Promise((resolve) => grown.signal.addEventListener('abort', () => resolve()))
    await systemClock.sleep(ms, signal)
  }
  const engine = await rig.open({ locateBackup: source, spares: 1, clock: { ...systemClock, sleep } })
  behave(rig, { job: 'running' })
  assert.deepEqual(await engine.apply(spec), { accepted: 1 })
  await isUnderWay(engine)
  assert.equal((await rig.livePids()).length, 1)
  grown.abort()
  await until('a spare is made', async () => (await rig.livePids()).length === 2)
  assert.equal((await engine.observe(spec)).settledGeneration, 0)
})

test('a service that begins with a backup serves when it is filled, once', async (t) => {
  const rig = createRig(t)
  const engine = await rig.open({ locateBackup: source })
  behave(rig, { job: 'running' })
  assert.deepEqual(await engine.apply(spec), { accepted: 1 })
  await isUnderWay(engine)
  const observed = await engine.observe(spec)
  assert.partialDeepStrictEqual(observed.restore, { backupId: 'b1', bytes: 40, totalBytes: 100 })
  assert.deepEqual(brief(observed), { power: 'turning_on', accepted: 1, settled: 0, replicas: 2 })
  assert.ok(
    observed.replicas.every(({ canRead, canWrite, address }) => !canRead && !canWrite && address === ''),
  )
  assert.equal((await rig.livePids()).length, 1)
  await engine.backups.apply({ backupId: 'b2', place: { kind: 'local' }, ref: spec, baseId: null })
  await until('it cannot be backed up', async () => (await engine.backups.observe('b2')).state === 'failed')
  behave(rig, {})
  await until('it serves', async () => (await engine.observe(spec)).settledGeneration === 1)
  assert.equal((await rig.livePids()).length, 2)
  assert.equal(restores(rig), 1)
  assert.equal(rig.events(spec.warehouseId).filter(({ event }) => event === 'start').length, 2)

  await engine.close()
  const next = await rig.open({ locateBackup: async () => assert.fail('it is filled already') })
  await until('it serves again', async () => (await next.observe(spec)).power === 'on')
  assert.equal(restores(rig), 1)
})

test('a restore that was cut off begins anew on an empty directory', async (t) => {
  const rig = createRig(t)
  const engine = await rig.open({ locateBackup: source })
  behave(rig, { job: 'running' })
  await engine.apply(spec)
  await until('it is restored', () => restores(rig) > 0)
  writeFileSync(join(rig.dataDir, 'warehouses', spec.warehouseId, 'data/half-made'), '')
  await engine.close()
  behave(rig, {})
  const next = await rig.open({ locateBackup: source })
  await until('it serves', async () => (await next.observe(spec)).power === 'on')
  assert.equal(restores(rig), 1)
  assert.ok(!existsSync(join(rig.dataDir, 'warehouses', spec.warehouseId, 'data/half-made')))
})

test('a service that is removed while it is restored leaves nothing', async (t) => {
  const rig = createRig(t)
  const engine = await rig.open({ locateBackup: source })
  behave(rig, { job: 'running' })
  await engine.apply(spec)
  await isUnderWay(engine)
  await callerOf(engine).goneAfter(spec, () => engine.destroy(spec, 'purge'))
  assert.ok(!existsSync(join(rig.dataDir, 'warehouses', spec.warehouseId)))
  assert.equal((await rig.livePids()).length, 0)
})

test('a restore whose writer dies is tried again; meanwhile nothing is served', async (t) => {
  const rig = createRig(t)
  const engine = await rig.open({ locateBackup: source })
  behave(rig, { job: 'running' })
  await engine.apply(spec)
  await isUnderWay(engine)
  process.kill((await rig.livePids())[0] ?? assert.fail(), 'SIGKILL')
  await until('it is told', async () => (await problem(engine)) !== null)
  const message = 'the backup cannot be restored: the writer ended while it was restored'
  assert.deepEqual(await problem(engine), { message, retryable: true })
  assert.equal((await engine.observe(spec)).power, 'turning_on')
  behave(rig, {})
  await until('it serves', async () => (await engine.observe(spec)).power === 'on')
})

test('a backup that is gone cannot be begun with, and the service that wanted it leaves nothing', async (t) => {
  const rig = createRig(t)
  let [located, id]: [boolean, string] = [false, 'b1']
  const engine = await rig.open({
    locateBackup: async () => (located ? { backupId: id, place: { kind: 'local' } } : null),
  })
  await engine.apply(spec)
  await until('it is told', async () => (await problem(engine)) !== null)
  const message = 'the backup cannot be restored: the backup is gone: b1'
  assert.deepEqual(await problem(engine), { message, retryable: false })
  ;[located, id] = [true, 'b2']
  await engine.apply({ ...spec, generation: 2 })
  await until(
    'the other one is gone, too',
    async () => (await problem(engine))?.message.endsWith('b2') ?? false,
  )

  const caller = callerOf(engine)
  await caller.goneAfter(spec, () => engine.destroy(spec, 'purge'))
  assert.ok(!existsSync(join(rig.dataDir, 'warehouses', spec.warehouseId)))
})

test('a backup with a definition that no client could give is not restored, and nothing of it reaches the engine', async (t) => {
  const rig = createRig(t)
  craftBackup(join(rig.dataDir, 'backups/b1'), {
    'metadata/d.sql': 'CREATE DATABASE d ENGINE = Atomic',
    'metadata/d/a%2Db.sql':
      "CREATE TABLE d.`a-b` (`a` String) ENGINE = URL('file:///etc/passwd', 'LineAsString')",
  })
  const engine = await rig.open({ locateBackup: source })
  await engine.apply(spec)
  await until('it is told', async () => (await problem(engine)) !== null)

  const { message, retryable } = (await problem(engine)) ?? assert.fail()
  assert.match(message, /^the backup cannot be restored: the definition of d\.a-b is refused: /)
  assert.equal(retryable, false)
  assert.equal(restores(rig), 0)
})

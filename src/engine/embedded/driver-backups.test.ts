import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createEmbeddedRig, type EmbeddedRig, until } from '../../../test/support/embedded-rig.ts'
import { brief, engineSpec } from '../../../test/support/engine-caller.ts'
import type { BackupTask } from '../backup.ts'
import type { EngineSpec } from '../engine.ts'
import type { EmbeddedEngine } from './driver.ts'

const spec = engineSpec()
const task: BackupTask = { backupId: 'b1', ref: spec, baseId: null, place: { kind: 'local' } }

async function createRig(t: TestContext, power: EngineSpec['power'], job?: 'running' | 'failed') {
  const rig = createEmbeddedRig(t)
  rig.behave(spec.warehouseId, { '*': job ? { job } : {} })
  const engine = await rig.open()
  await bring(engine, { ...spec, power })
  return { ...rig, engine }
}

async function bring(engine: EmbeddedEngine, wanted: EngineSpec): Promise<void> {
  assert.deepEqual(await engine.apply(wanted), { accepted: wanted.generation })
  await until(`generation ${wanted.generation} is true`, async () => {
    return (await engine.observe(wanted)).settledGeneration === wanted.generation
  })
}

const count = (rig: Pick<EmbeddedRig, 'events'>, event: string) =>
  rig.events(spec.warehouseId).filter((each) => each.event === event).length
const backupState = async (engine: EmbeddedEngine, id = 'b1') => (await engine.backups.observe(id)).state
/** Waits until the driver has the writer's answer too. */
const begun = ({ engine }: { engine: EmbeddedEngine }) =>
  until('the writer makes the backup', async () => {
    const backup = await engine.backups.observe('b1')
    return backup.state === 'running' && backup.progress.bytes === 40
  })
const isDone = (engine: EmbeddedEngine) =>
  until('it is done', async () => (await backupState(engine)) === 'done')

test('a service that sleeps is backed up by a writer that nobody sees, which then ends', async (t) => {
  const rig = await createRig(t, 'idle', 'running')
  const { engine, dataDir, behave, livePids } = rig
  const seen = new Set<string>()
  engine.onChange(
    () => void engine.observe(spec).then((observed) => seen.add(JSON.stringify(brief(observed)))),
  )
  assert.deepEqual(await engine.backups.observe('b1'), { state: 'absent' })
  await engine.backups.apply(task)
  await engine.backups.apply(task)
  await begun(rig)
  const observed = await engine.observe(spec)
  assert.deepEqual(brief(observed), { power: 'idle', accepted: 1, settled: 1, replicas: 0 })
  assert.equal(observed.busy.backups, 1)
  assert.equal(observed.progress, '')
  assert.equal((await livePids()).length, 1)
  behave(spec.warehouseId, {})
  await isDone(engine)
  assert.deepEqual(await engine.backups.observe('b1'), { state: 'done', sizeInBytes: 40, files: 1 })
  assert.ok(existsSync(join(dataDir, 'backups/b1/.backup')))
  await until('the writer ends', async () => (await livePids()).length === 0)
  assert.deepEqual(
    [...seen].filter((each) => !each.includes('"idle"')),
    [],
  )
  assert.equal(count(rig, 'backup'), 1)

  await engine.backups.remove('b1', task.place)
  assert.deepEqual(backupsIn(dataDir), [])
  assert.deepEqual(await engine.backups.observe('b1'), { state: 'absent' })
})

test('a service that wakes takes the writer over, and goes on with it when it stops', async (t) => {
  const rig = await createRig(t, 'idle', 'running')
  const { engine, behave, livePids } = rig
  await engine.backups.apply(task)
  await begun(rig)
  const pids = await livePids()
  await bring(engine, { ...spec, generation: 2, power: 'on' })
  assert.equal((await engine.observe(spec)).replicas[0]?.canWrite, true)
  assert.equal((await engine.observe(spec)).busy.backups, 1)
  assert.deepEqual(await livePids(), pids)

  await engine.apply({ ...spec, generation: 3, memoryBytesPerReplica: 1 })
  assert.deepEqual(await livePids(), pids)
  await bring(engine, { ...spec, generation: 4, power: 'off' })
  assert.deepEqual(brief(await engine.observe(spec)), { power: 'off', accepted: 4, settled: 4, replicas: 0 })
  assert.deepEqual(await livePids(), pids)
  assert.equal(await backupState(engine), 'running')
  behave(spec.warehouseId, {})
  await isDone(engine)
  await until('the writer ends', async () => (await livePids()).length === 0)
  assert.equal(count(rig, 'backup'), 1)
  assert.equal(count(rig, 'start'), 1)
})

test('a running service goes on with its writer when the backup ends, and gets its new memory limit then', async (t) => {
  const rig = await createRig(t, 'on', 'running')
  const { engine, behave, livePids } = rig
  const pids = await livePids()
  await engine.backups.apply(task)
  await begun(rig)
  await engine.apply({ ...spec, generation: 2, memoryBytesPerReplica: 1 })
  assert.deepEqual(await livePids(), pids)
  behave(spec.warehouseId, {})
  await isDone(engine)
  await until('it has the limit', async () => (await engine.observe(spec)).settledGeneration === 2)
})

test('a backup whose writer dies has failed, leaves nothing, and can be begun anew', async (t) => {
  const rig = await createRig(t, 'off', 'running')
  const { engine, dataDir, behave, livePids } = rig
  await engine.backups.apply(task)
  await begun(rig)
  process.kill((await livePids())[0] ?? assert.fail(), 'SIGKILL')
  await until('it has failed', async () => (await backupState(engine)) === 'failed')
  const reason = 'the writer ended while the backup ran'
  assert.deepEqual(await engine.backups.observe('b1'), { state: 'failed', reason })
  assert.ok(!existsSync(join(dataDir, 'backups/b1')))
  assert.equal((await engine.observe(spec)).problem, null)
  behave(spec.warehouseId, {})
  await engine.backups.apply(task)
  await isDone(engine)
})

test('a backup that is cancelled has failed for that reason; one without its base, or without room, says so', async (t) => {
  const rig = await createRig(t, 'idle', 'running')
  const { engine, dataDir, behave, livePids } = rig
  await engine.backups.apply(task)
  await begun(rig)
  await engine.backups.cancel('b1', 'the service was deleted')
  assert.deepEqual(await engine.backups.observe('b1'), { state: 'failed', reason: 'the service was deleted' })
  assert.ok(count(rig, 'cancel') > 0)
  assert.ok(!existsSync(join(dataDir, 'backups/b1')))
  await until('the writer ends', async () => (await livePids()).length === 0)

  behave(spec.warehouseId, { '*': { job: 'failed' } })
  for (const [id, baseId, reason] of [
    ['b2', 'b0', 'the backup that this one stands on is gone: b0'],
    ['b3', null, 'the disk is full'],
  ] as const) {
    await engine.backups.apply({ ...task, backupId: id, baseId })
    await until('it has failed', async () => (await backupState(engine, id)) === 'failed')
    assert.deepEqual(await engine.backups.observe(id), { state: 'failed', reason })
  }
  assert.deepEqual(backupsIn(dataDir), [])
})

test('what another control plane left half made is swept, and the same id begun anew', async (t) => {
  const rig = await createRig(t, 'idle', 'running')
  await rig.engine.backups.apply(task)
  await begun(rig)
  await rig.engine.close()
  mkdirSync(join(rig.dataDir, 'backups/b1/data'), { recursive: true })
  writeFileSync(join(rig.dataDir, 'backups/b1/data/left'), '')
  const engine = await rig.open()
  assert.deepEqual(await engine.backups.observe('b1'), { state: 'absent' })
  rig.behave(spec.warehouseId, {})
  await engine.backups.apply(task)
  await isDone(engine)
  assert.deepEqual(readdirSync(join(rig.dataDir, 'backups/b1')).sort(), ['.backup', 'half-made'])
})

/** Without `.jobs`, which holds the writers' job rooms. */
const backupsIn = (dataDir: string) =>
  readdirSync(join(dataDir, 'backups')).filter((name) => name !== '.jobs')

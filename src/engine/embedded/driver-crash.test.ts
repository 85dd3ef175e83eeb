import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Order, startDriverChild } from '../../../test/support/driver-child.ts'
import { callerOf, createEmbeddedRig, type EmbeddedRig, until } from '../../../test/support/embedded-rig.ts'
import { engineSpec, gib } from '../../../test/support/engine-caller.ts'
import { identify, isAlive } from '../../process/supervise/identity.ts'
import { processFile } from '../../process/supervise/launch.ts'

const spec = engineSpec({ replicas: 3 })
const warehouse = spec.warehouseId

/** Starts a control plane that brings the service up, and kills it. */
async function leaveRunning(t: TestContext, rig: EmbeddedRig, orders: Order[] = [{ kind: 'bring', spec }]) {
  const child = startDriverChild(rig.dataDir, orders)
  t.after(() => child.process.kill('SIGKILL'))
  await until('it has done its work', () => child.done() === orders.length)
  child.process.kill('SIGKILL')
  await child.ended
}

const replicasFolder = ({ dataDir }: EmbeddedRig) => join(dataDir, 'warehouses', warehouse, 'replicas')
const starts = (rig: EmbeddedRig) => rig.events(warehouse).filter(({ event }) => event === 'start').length

test('a killed control plane leaves its replicas serving; the next one takes them over as they are', async (t) => {
  const rig = createEmbeddedRig(t)
  await leaveRunning(t, rig)
  const pids = await rig.livePids()
  assert.equal(pids.length, 3)
  const engine = await rig.open()
  assert.deepEqual(await engine.adopt(), [{ serviceId: spec.serviceId, warehouseId: warehouse }])
  const observed = await engine.observe(spec)
  assert.deepEqual([observed.power, observed.acceptedGeneration, observed.settledGeneration], ['on', 1, 1])
  assert.equal(observed.replicas.filter(({ canRead, restarts }) => canRead && restarts === 0).length, 3)
  assert.deepEqual(await rig.livePids(), pids)
  assert.equal(starts(rig), 3)
  // Adopted replicas are watched and ended like the engine's own.
  process.kill(pids[0] ?? assert.fail(), 'SIGKILL')
  await until('the killed one is replaced', async () => {
    const { replicas } = await engine.observe(spec)
    return starts(rig) === 4 && replicas.every(({ canRead }) => canRead)
  })
  const resized = engineSpec({ replicas: 2, generation: 2, memoryBytesPerReplica: 16 * gib })
  await callerOf(engine).bring(resized)
  await until('two are left', async () => (await rig.livePids()).length === 2)
  await engine.close()
  assert.deepEqual(await rig.livePids(), [])
  assert.equal(rig.events(warehouse).filter(({ event }) => event === 'overlap').length, 0)
})

test('what changed while nobody looked is found: unwanted replicas end, missing ones start', async (t) => {
  const rig = createEmbeddedRig(t)
  await leaveRunning(t, rig)
  const [first] = await rig.livePids()
  process.kill(first ?? assert.fail(), 'SIGKILL')
  const file = join(rig.dataDir, 'warehouses', warehouse, 'services', `${spec.serviceId}.json`)
  const accepted = { spec: engineSpec({ replicas: 4, generation: 2 }), removing: null }
  writeFileSync(file, JSON.stringify(accepted))
  const engine = await rig.open()
  await until('all four serve', async () => (await engine.observe(spec)).settledGeneration === 2)
  assert.equal((await rig.livePids()).length, 4)
  assert.equal(starts(rig), 5)
})

test('a replica whose process was never noted is found by its command line, and is not doubled', async (t) => {
  const rig = createEmbeddedRig(t)
  await leaveRunning(t, rig)
  const pids = await rig.livePids()
  for (const name of readdirSync(replicasFolder(rig))) rmSync(join(replicasFolder(rig), name, processFile))
  const engine = await rig.open()
  assert.equal((await engine.observe(spec)).settledGeneration, 1)
  assert.deepEqual(await rig.livePids(), pids)
})

test('replicas that nobody can tell about are ended before anything begins', async (t) => {
  const rig = createEmbeddedRig(t)
  await leaveRunning(t, rig)
  const pids = await rig.livePids()
  rmSync(replicasFolder(rig), { recursive: true })
  const engine = await rig.open()
  assert.deepEqual(
    (await rig.livePids()).filter((pid) => pids.includes(pid)),
    [],
  )
  await until('new ones serve', async () => (await engine.observe(spec)).settledGeneration === 1)
  assert.equal(rig.events(warehouse).filter(({ event }) => event === 'overlap').length, 0)
})

test('a writer that hangs while its control plane dies: the next writer waits until it is gone', async (t) => {
  const rig = createEmbeddedRig(t)
  rig.behave(warehouse, { 'service-a-0': { start: 'hang' } })
  const child = startDriverChild(rig.dataDir, [{ kind: 'bring', spec: engineSpec() }])
  t.after(() => child.process.kill('SIGKILL'))
  await until('the writer began', () => starts(rig) === 1)
  child.process.kill('SIGKILL')
  await child.ended
  rig.behave(warehouse, {})
  const engine = await rig.open({ limits: { statusTimeoutMs: 300 } })
  await until('another one serves', async () => (await engine.observe(spec)).power === 'on')
  const events = rig.events(warehouse).map(({ event }) => event)
  assert.deepEqual(events, ['start', 'start', 'serve'])
  assert.equal((await rig.livePids()).length, 1)
})

test('a pid that now belongs to a stranger is not taken for a replica, and the stranger lives', async (t) => {
  const rig = createEmbeddedRig(t)
  await leaveRunning(t, rig, [{ kind: 'bring', spec: engineSpec() }])
  const [pid] = await rig.livePids()
  process.kill(pid ?? assert.fail(), 'SIGKILL')
  await until('it is dead', async () => (await rig.livePids()).length === 0)
  const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  t.after(() => stranger.kill('SIGKILL'))
  const strange = (await identify(stranger.pid ?? 0)) ?? assert.fail()
  const [name = ''] = readdirSync(replicasFolder(rig))
  const file = join(replicasFolder(rig), name, processFile)
  const noted = JSON.parse(readFileSync(file, 'utf8')) as { began: string }
  writeFileSync(file, JSON.stringify({ ...noted, pid: stranger.pid }))
  const engine = await rig.open()
  await callerOf(engine).bring(engineSpec({ generation: 2 }))
  await engine.close()
  assert.ok(await isAlive(strange))
})

test('whoever only looks at the files of a replica is not taken for one', async (t) => {
  const rig = createEmbeddedRig(t)
  await leaveRunning(t, rig, [{ kind: 'bring', spec: engineSpec() }])
  const [name = ''] = readdirSync(replicasFolder(rig))
  const workDir = join(replicasFolder(rig), name)
  const pager = spawn(process.execPath, [
    '-e',
    'setInterval(() => {}, 1000)',
    workDir,
    join(workDir, 'replica.log'),
  ])
  t.after(() => pager.kill('SIGKILL'))
  const looking = (await identify(pager.pid ?? 0)) ?? assert.fail()
  rmSync(replicasFolder(rig), { recursive: true })
  await (await rig.open()).close()
  assert.ok(await isAlive(looking))
})

test('one control plane at a time: a second one is told who is there; a dead one holds nothing', async (t) => {
  const rig = createEmbeddedRig(t)
  const engine = await rig.open()
  await assert.rejects(rig.open(), new RegExp(`another control plane \\(process ${process.pid} on `))
  await engine.close()
  await leaveRunning(t, rig, [{ kind: 'bring', spec: engineSpec() }])
  await (await rig.open()).close()
})

import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startDriverChild } from '../../../test/support/driver-child.ts'
import {
  callerOf,
  createEmbeddedRig,
  type EmbeddedRig,
  fakeRuntime,
  quickLimits,
  until,
} from '../../../test/support/embedded-rig.ts'
import { engineSpec } from '../../../test/support/engine-caller.ts'
import { systemClock } from '../../lib/clock.ts'
import { identify } from '../../process/supervise/identity.ts'
import { prepareWorkDir, processFile } from '../../process/supervise/launch.ts'
import { createSpares, type Spare, type SparesOptions } from '../../process/supervise/spares.ts'
import type { ReplicaSpec } from './protocol.ts'
import { createReplicaKind } from './replica-kind.ts'

const kind = createReplicaKind(fakeRuntime)
const { warehouseId, serviceId } = engineSpec()
const sparesFolder = ({ dataDir }: EmbeddedRig) => join(dataDir, 'warehouses', '.spares')
const startsOf = (rig: EmbeddedRig) => rig.events(warehouseId).filter(({ event }) => event === 'start')
const isGone = async (pid: number) => (await identify(pid)) === null

function open(t: TestContext, given: Partial<SparesOptions> = {}) {
  const rig = createEmbeddedRig(t)
  const { log } = rig
  const path = sparesFolder(rig)
  const spares = createSpares({
    ...{ path, kind, clock: systemClock, log, isQuiet: () => true },
    ...given,
  })
  t.after(() => spares.close())
  const take = async () => {
    const taken: Spare[] = []
    await until('one waits', () => {
      const spare = spares.take()
      if (spare) taken.push(spare)
      return spare !== null
    })
    return taken[0] ?? assert.fail()
  }
  return { rig, spares, take }
}

function replicaSpec({ dataDir }: EmbeddedRig): ReplicaSpec {
  const folder = join(dataDir, 'warehouses', warehouseId)
  return {
    ...{ replicaId: `${serviceId}-0`, role: 'writer', serviceId, warehouseId, epoch: 1 },
    ...{ dataDir: join(folder, 'data'), workDir: join(folder, 'replicas', `${serviceId}-0.1`) },
    ...{ socketPath: join(dataDir, 'sockets', 's'), backupsDir: join(dataDir, 'backups') },
    ...{
      memoryBytes: engineSpec().memoryBytesPerReplica,
      durableInserts: true,
      orphanAfterMs: 60_000,
      drainMs: 0,
      isolation: 'preferred',
    },
  }
}

test('a spare becomes the replica that it is told to be, as if it had been started as one', async (t) => {
  const { rig, spares, take } = open(t)
  spares.keep(1)
  const { child, become, ended } = await take()
  const spec = replicaSpec(rig)
  await prepareWorkDir(kind, spec)
  await become(spec)
  await until('it serves', () => rig.events(warehouseId).some(({ event }) => event === 'serve'))
  const [start] = startsOf(rig)
  assert.equal(start?.pid, child.pid)
  const names = start?.environment.filter((name) => name !== 'NODE_COMPILE_CACHE')
  assert.deepEqual(names, ['PATH', 'UV_THREADPOOL_SIZE'])
  assert.deepEqual(readdirSync(spec.workDir).sort(), [processFile, 'replica.json', kind.logFile])
  await spares.close()
  assert.equal(child.connected, false)
  child.kill('SIGTERM')
  assert.equal(await ended, 'ended with 0', 'it is nobody’s spare any more')
})

test('one that cannot become the replica is ended', async (t) => {
  const { rig, spares, take } = open(t)
  spares.keep(1)
  const { become, ended } = await take()
  await assert.rejects(become(replicaSpec(rig)), { code: 'ENOENT' })
  assert.equal(await ended, 'was ended by SIGKILL')
})

test('as many wait as are wanted, and one that ended is replaced', async (t) => {
  const { rig, spares } = open(t)
  const waiting = async (count: number) => {
    await until(`${count} wait`, async () => (await rig.livePids()).length === count)
    return rig.livePids()
  }
  spares.keep(2)
  const [pid = 0] = await waiting(2)
  process.kill(pid, 'SIGKILL')
  await until('it is gone', () => isGone(pid))
  assert.ok(!(await waiting(2)).includes(pid))
  spares.keep(1)
  await waiting(1)
  spares.keep(0)
  await waiting(0)
  assert.equal(spares.take(), null)
  await until('nothing is left of them', () => readdirSync(sparesFolder(rig)).length === 0)
})

test('one that is just being launched when they are closed does not outlive that', async (t) => {
  for (let round = 0; round < 5; round++) {
    const { rig, spares } = open(t)
    spares.keep(1)
    await spares.close()
    assert.deepEqual(await rig.livePids(), [])
  }
})

test('none is made while something more important is', async (t) => {
  let isQuiet = false
  const { rig, spares, take } = open(t, { isQuiet: () => isQuiet })
  spares.keep(1)
  assert.deepEqual(await rig.livePids(), [])
  isQuiet = true
  spares.refill()
  await take()
})

test('where none can be kept, this is said once, and tried again at growing distances', async (t) => {
  const waits: number[] = []
  const clock = {
    ...systemClock,
    sleep: async (ms: number, signal?: AbortSignal) => {
      waits.push(ms)
      if (waits.length >= 4) await systemClock.sleep(60_000, signal)
    },
  }
  const command = join(import.meta.dirname, 'no-such-program')
  const { rig, spares } = open(t, { clock, kind: createReplicaKind({ ...fakeRuntime, command }) })
  spares.keep(1)
  await until('it was tried four times', () => waits.length === 4)
  const told = rig.log.lines.filter(({ message }) => message.startsWith('no spare replica can be kept'))
  assert.equal(told.length, 1)
  assert.match(String((told[0] as { detail: { err: Error } }).detail.err), /could not be started.*ENOENT/)
  assert.ok(waits.every((ms) => ms <= 8_000))
  await spares.close()
})

test('a service that wakes gets the process that waited; a stopped one keeps none waiting', async (t) => {
  const rig = createEmbeddedRig(t)
  const engine = await rig.open({ spares: 1 })
  const { bring } = callerOf(engine)
  assert.deepEqual(await rig.livePids(), [], 'while there is no service, nothing waits')
  let generation = 0
  const cycle = async () => {
    await bring(engineSpec({ generation: ++generation }))
    await bring(engineSpec({ generation: ++generation, power: 'idle' }))
    const waiting = await rig.livePids()
    await bring(engineSpec({ generation: ++generation }))
    return waiting.includes(startsOf(rig).at(-1)?.pid ?? 0)
  }
  // A start does not wait for a spare that has not loaded yet.
  await until('one that waited is taken', cycle)
  assert.equal(rig.events(warehouseId).filter(({ event }) => event === 'overlap').length, 0)
  await bring(engineSpec({ generation: ++generation, power: 'off' }))
  await until('none waits', async () => (await rig.livePids()).length === 0)
  await bring(engineSpec({ generation: ++generation }))
  await engine.close()
  assert.deepEqual(await rig.livePids(), [])
})

test('spares end with a killed control plane, and its replicas are taken over', async (t) => {
  const rig = createEmbeddedRig(t)
  const orders = [1, 3, 5, 7, 9].flatMap((generation) => [
    { kind: 'bring' as const, spec: engineSpec({ generation, replicas: 2 }) },
    { kind: 'bring' as const, spec: engineSpec({ generation: generation + 1, power: 'idle' as const }) },
  ])
  orders.push({ kind: 'bring', spec: engineSpec({ generation: 11, replicas: 2 }) })
  const child = startDriverChild(rig.dataDir, orders, 0, 2)
  t.after(() => child.process.kill('SIGKILL'))
  await until('it has done its work', () => child.done() === orders.length)
  child.process.kill('SIGKILL')
  await child.ended
  await until('the spares have ended', async () => (await rig.livePids()).length === 2)
  const pids = await rig.livePids()

  const engine = await rig.open()
  assert.equal((await engine.observe(engineSpec())).settledGeneration, 11)
  assert.deepEqual(await rig.livePids(), pids)
  await engine.close()
  assert.deepEqual(await rig.livePids(), [])
})

test('a replica that was a spare is taken over as it is by the next control plane', async (t) => {
  const { rig, spares, take } = open(t)
  spares.keep(1)
  const { child, become } = await take()
  const spec = replicaSpec(rig)
  await prepareWorkDir(kind, spec)
  await become(spec)
  await until('it serves', () => rig.events(warehouseId).some(({ event }) => event === 'serve'))
  await spares.close()
  const services = join(rig.dataDir, 'warehouses', warehouseId, 'services')
  mkdirSync(services)
  const accepted = { spec: engineSpec(), removing: null }
  writeFileSync(join(services, `${serviceId}.json`), JSON.stringify(accepted))
  const engine = await rig.open()
  assert.equal((await engine.observe(engineSpec())).settledGeneration, 1)
  assert.deepEqual(await rig.livePids(), [child.pid])
  assert.equal(startsOf(rig).length, 1)
})

test('a replica that was a spare, and whose directory tells nothing, is ended before anything begins', async (t) => {
  const { rig, spares, take } = open(t)
  spares.keep(1)
  const { child, become } = await take()
  const spec = replicaSpec(rig)
  await prepareWorkDir(kind, spec)
  await become(spec)
  await until('it serves', () => rig.events(warehouseId).some(({ event }) => event === 'serve'))
  rmSync(spec.workDir, { recursive: true })
  await rig.open({ limits: quickLimits })
  assert.ok(await isGone(child.pid ?? 0))
  assert.equal(rig.log.count('warn', 'nobody can tell about'), 1)
})

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { callerOf, createEmbeddedRig, fakeRuntime, until } from '../../../test/support/embedded-rig.ts'
import { engineSpec, gib, refOf } from '../../../test/support/engine-caller.ts'
import type { ReplicaEvent } from '../../../test/support/fake-replica-process.ts'
import type { Engine, EngineObservation } from '../engine.ts'

const spec = engineSpec({ replicas: 3 })
const warehouse = spec.warehouseId

const pidOf = (events: ReplicaEvent[], replicaId: string): number =>
  events.findLast((event) => event.replicaId === replicaId && event.event === 'serve')?.pid ?? assert.fail()

const serving = ({ replicas }: EngineObservation) => replicas.filter(({ canRead }) => canRead)

/** Waits until the observation satisfies `look`. */
async function shows(engine: Engine, what: string, look: (observed: EngineObservation) => boolean) {
  let observed = await engine.observe(spec)
  await until(what, async () => {
    observed = await engine.observe(spec)
    return look(observed)
  })
  return observed
}

for (const [replicaId, role] of [
  ['service-a-0', 'writer'],
  ['service-a-2', 'reader'],
] as const) {
  test(`a ${role} that is killed is replaced at once, the others go on, and nothing is doubled`, async (t) => {
    const rig = createEmbeddedRig(t)
    const engine = await rig.open()
    const before = await callerOf(engine).bring(spec)
    process.kill(pidOf(rig.events(warehouse), replicaId), 'SIGKILL')
    await shows(engine, 'it is missed', (observed) => serving(observed).length === 2)
    const after = await shows(engine, 'it is back', (observed) => serving(observed).length === 3)
    for (const [index, replica] of after.replicas.entries()) {
      const old = before.replicas[index]
      assert.equal(replica.id, old?.id)
      assert.equal(replica.address === old?.address, replica.id !== replicaId)
      assert.equal(replica.restarts, replica.id === replicaId ? 1 : 0)
    }
    assert.deepEqual([after.problem, after.settledGeneration], [null, 1])
    assert.equal((await rig.livePids()).length, 3)
    assert.equal(rig.events(warehouse).filter(({ event }) => event === 'start').length, 4)
    assert.equal(rig.log.count('warn', 'a replica failed'), 1)
  })
}

test('a replica that cannot start is tried again and again, the reason is told without secrets, and it heals', async (t) => {
  const rig = createEmbeddedRig(t)
  rig.behave(warehouse, { 'service-a-1': { start: 'refuse' } })
  const engine = await rig.open({ limits: { wellMs: 100 } })
  await engine.apply(spec)
  const { problem, replicas, power } = await shows(
    engine,
    'there is a problem',
    (each) => each.problem !== null,
  )
  assert.match(
    problem?.message ?? '',
    /service-a-1 failed \d+ times in a row; .*ended with 1: .*No space left/,
  )
  assert.doesNotMatch(problem?.message ?? '', /hunter2|all is well/)
  assert.deepEqual([problem?.retryable, power], [true, 'on'])
  assert.deepEqual([replicas[1]?.canRead, replicas[1]?.address], [false, ''])
  assert.ok((replicas[1]?.restarts ?? 0) >= 2)
  rig.behave(warehouse, {})
  const healed = await shows(engine, 'it is well', (each) => each.settledGeneration === 1 && !each.problem)
  assert.equal(serving(healed).length, 3)
})

test('waits between restarts become longer, and a new generation is tried at once', async (t) => {
  const rig = createEmbeddedRig(t)
  rig.behave(warehouse, { '*': { start: 'crash' } })
  // After the first restart the backoff is an hour.
  const engine = await rig.open({ limits: { backoff: { baseMs: 3_600_000, maxMs: 3_600_000 } } })
  const starts = () => rig.events(warehouse).filter(({ event }) => event === 'start').length
  await engine.apply(engineSpec())
  await until('it failed twice', () => rig.log.count('warn', 'a replica failed') === 2)
  assert.equal(starts(), 2)
  rig.behave(warehouse, {})
  const observed = await callerOf(engine).bring(engineSpec({ generation: 2 }))
  assert.equal(starts(), 3)
  assert.equal(observed.replicas[0]?.restarts, 2)
})

test('a program that is not there is a problem that tells so', async (t) => {
  const rig = createEmbeddedRig(t)
  const engine = await rig.open({ runtime: { ...fakeRuntime, command: '/nonexistent/node' } })
  await engine.apply(spec)
  const { problem } = await shows(engine, 'there is a problem', (observed) => observed.problem !== null)
  assert.match(problem?.message ?? '', /could not be started: .*ENOENT/)
})

test('a start that hangs, or is answered by another process, is given up and made again', async (t) => {
  for (const behaviour of [{ start: 'hang' }, { impostor: true }] as const) {
    const rig = createEmbeddedRig(t)
    rig.behave(warehouse, { 'service-a-0': behaviour })
    const engine = await rig.open({ limits: { startDeadlineMs: 600 } })
    await engine.apply(engineSpec())
    await until('it was given up', () => rig.log.count('warn', 'a replica failed') > 0)
    assert.equal((await engine.observe(spec)).power, 'turning_on')
    rig.behave(warehouse, {})
    await shows(engine, 'it serves', ({ power }) => power === 'on')
    await until('the first is gone', async () => (await rig.livePids()).length === 1)
    await engine.close()
  }
})

test('a replica that falls silent gets no more statements, and is replaced when it stays so', async (t) => {
  const rig = createEmbeddedRig(t)
  const engine = await rig.open({ limits: { statusTimeoutMs: 300, silentDeadlineMs: 1_500 } })
  await callerOf(engine).bring(spec)
  const first = pidOf(rig.events(warehouse), 'service-a-1')
  process.kill(first, 'SIGSTOP')
  const silent = await shows(engine, 'it is left out', (observed) => serving(observed).length === 2)
  assert.equal(silent.replicas[1]?.canRead, false)
  await shows(engine, 'another serves', (observed) => serving(observed).length === 3)
  assert.notEqual(pidOf(rig.events(warehouse), 'service-a-1'), first)
  assert.ok(!(await rig.livePids()).includes(first))
})

test('a replica whose engine takes no connection gets no more statements, and is replaced with the reason shown', async (t) => {
  const rig = createEmbeddedRig(t)
  const engine = await rig.open({ limits: { sickDeadlineMs: 500, silentDeadlineMs: 600_000 } })
  await callerOf(engine).bring(spec)
  const first = pidOf(rig.events(warehouse), 'service-a-1')
  rig.behave(warehouse, { 'service-a-1': { engineError: 'UNKNOWN_DATABASE: there is no system' } })
  await shows(engine, 'it is left out', (observed) => serving(observed).length === 2)
  await until('it is replaced', () => rig.log.count('warn', 'a replica failed') > 0)
  rig.behave(warehouse, {})
  await shows(engine, 'another serves', (observed) => serving(observed).length === 3)
  assert.notEqual(pidOf(rig.events(warehouse), 'service-a-1'), first)
  const told = rig.log.lines.find(({ message }) => message === 'a replica failed')
  assert.match(JSON.stringify(told), /takes no new connection: UNKNOWN_DATABASE: there is no system/)
})

test('one that was only slow for a moment goes on', async (t) => {
  const rig = createEmbeddedRig(t)
  const engine = await rig.open({ limits: { statusTimeoutMs: 200, silentDeadlineMs: 60_000 } })
  await callerOf(engine).bring(spec)
  const pid = pidOf(rig.events(warehouse), 'service-a-1')
  process.kill(pid, 'SIGSTOP')
  await shows(engine, 'it is left out', (observed) => serving(observed).length === 2)
  process.kill(pid, 'SIGCONT')
  const { replicas } = await shows(engine, 'it is back', (observed) => serving(observed).length === 3)
  assert.deepEqual([pidOf(rig.events(warehouse), 'service-a-1'), replicas[1]?.restarts], [pid, 0])
})

test('stopping lets running queries finish; what routes hears of it before the replica does', async (t) => {
  const rig = createEmbeddedRig(t)
  const engine = await rig.open()
  await callerOf(engine).bring(engineSpec())
  rig.behave(warehouse, { '*': { runningQueries: 2 } })
  await shows(engine, 'the queries are seen', ({ busy }) => busy.queries === 2)
  const drainsWhenTold: number[] = []
  engine.onChange(() => {
    const drains = rig.events(warehouse).filter(({ event }) => event === 'drain')
    drainsWhenTold.push(drains.length)
  })
  await engine.apply(engineSpec({ power: 'off', generation: 2 }))
  const stopping = await engine.observe(spec)
  assert.deepEqual([stopping.power, serving(stopping)], ['turning_off', []])
  assert.match(stopping.progress, /1 replica has to finish/)
  assert.equal(drainsWhenTold[0], 0)
  await until('it drains', () => rig.events(warehouse).some(({ event }) => event === 'term'))
  assert.equal((await engine.observe(spec)).power, 'turning_off')
  rig.behave(warehouse, {})
  const off = await shows(engine, 'it is off', ({ power }) => power === 'off')
  assert.deepEqual([off.settledGeneration, off.replicas], [2, []])
  assert.deepEqual(
    rig.events(warehouse).map(({ event }) => event),
    ['start', 'serve', 'drain', 'term', 'end'],
  )
})

test('a replica that does not end when it is asked to is forced to', async (t) => {
  const rig = createEmbeddedRig(t)
  rig.behave(warehouse, { '*': { stubborn: true } })
  const engine = await rig.open({ drainMs: 100, limits: { drainMs: 100, endGraceMs: 200 } })
  await callerOf(engine).bring(spec)
  await callerOf(engine).bring(engineSpec({ power: 'off', generation: 2 }))
  assert.deepEqual(await rig.livePids(), [])
  // Killing a replica that was asked to end does not count as its failure.
  assert.equal(rig.log.count('warn', 'a replica failed'), 0)
})

test('a close in a hurry kills what does not end, waits until it is gone, and leaves no sockets', async (t) => {
  const rig = createEmbeddedRig(t)
  rig.behave(warehouse, { '*': { stubborn: true } })
  const never = { drainMs: 600_000, closeMs: 600_000 }
  const engine = await rig.open({ limits: never, spares: 1 })
  const { replicas } = await callerOf(engine).bring(spec)
  const sockets = dirname(replicas[0]?.address.slice('unix:'.length) ?? '')
  assert.ok(existsSync(sockets))
  const hurry = new AbortController()
  const closed = engine.close(hurry.signal)
  await until('they are asked to end', () => {
    return rig.events(warehouse).filter(({ event }) => event === 'drain').length === 3
  })
  assert.ok((await rig.livePids()).length >= 3)
  hurry.abort()
  await closed
  assert.deepEqual(await rig.livePids(), [])
  assert.ok(!existsSync(sockets))
})

test('hand-over: however often the memory changes, two writers never meet on the data', async (t) => {
  const rig = createEmbeddedRig(t)
  const engine = await rig.open()
  const { bring } = callerOf(engine)
  await bring(engineSpec({ replicas: 2 }))
  for (let generation = 2; generation <= 12; generation += 1) {
    const change = engineSpec({ replicas: 2, generation, memoryBytesPerReplica: generation * gib })
    // Some changes come before the previous one has settled.
    if (generation % 3 === 0) await bring(change)
    else await engine.apply(change)
    if (generation % 4 === 0) process.kill((await rig.livePids())[0] ?? assert.fail(), 'SIGKILL')
  }
  const observed = await bring(engineSpec({ replicas: 2, generation: 13, memoryBytesPerReplica: 4 * gib }))
  assert.deepEqual(
    serving(observed).map(({ memoryBytes }) => memoryBytes),
    [4 * gib, 4 * gib],
  )
  const events = rig.events(warehouse)
  assert.deepEqual(
    events.filter(({ event }) => event === 'overlap'),
    [],
  )
  assert.ok(events.filter(({ event, role }) => event === 'serve' && role === 'writer').length >= 4)
})

test("a reader that does not follow the writer's tables is a problem, though it serves", async (t) => {
  const rig = createEmbeddedRig(t)
  const engine = await rig.open()
  await callerOf(engine).bring(spec)
  rig.behave(warehouse, { 'service-a-2': { catalogError: 'unknown codec' }, '*': { parts: 7 } })
  const { problem, storage } = await shows(engine, 'it is told', (observed) => observed.problem !== null)
  assert.match(problem?.message ?? '', /service-a-2 does not follow .*unknown codec/)
  await shows(engine, 'parts are seen', (observed) => observed.storage.parts === 7)
  assert.ok(storage)
  // The storage stays known when no process runs any more.
  const off = await callerOf(engine).bring(engineSpec({ power: 'off', generation: 2 }))
  assert.deepEqual(off.storage, { parts: 7, usedBytes: 7_000 })
})

test('replicas know nothing of our environment, and a terminal does not reach them', async (t) => {
  process.env['GRANARY_TEST_SECRET'] = 'x'
  t.after(() => delete process.env['GRANARY_TEST_SECRET'])
  const rig = createEmbeddedRig(t)
  const engine = await rig.open()
  await callerOf(engine).bring(engineSpec())
  const [event] = rig.events(warehouse)
  const names = event?.environment.filter((name) => name !== 'NODE_COMPILE_CACHE')
  assert.deepEqual(names, ['PATH', 'UV_THREADPOOL_SIZE'])
  if (process.platform !== 'linux') return
  const stat = readFileSync(`/proc/${event?.pid}/stat`, 'utf8')
  const [, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  assert.equal(group, String(event?.pid))
})

test('many services at once: each has its own replicas, and one that fails disturbs none', async (t) => {
  const rig = createEmbeddedRig(t)
  rig.behave('w-3', { '*': { start: 'refuse' } })
  const engine = await rig.open()
  const specs = Array.from({ length: 8 }, (_, n) => engineSpec({ ...refOf(`s-${n}`, `w-${n}`) }))
  await Promise.all(specs.map((each) => engine.apply(each)))
  const well = specs.filter(({ warehouseId }) => warehouseId !== 'w-3')
  await Promise.all(well.map((each) => callerOf(engine).bring(each)))
  assert.equal((await engine.observe(refOf('s-3', 'w-3'))).power, 'turning_on')
  for (const { warehouseId } of well) {
    assert.equal(rig.events(warehouseId).filter(({ event }) => event === 'start').length, 1)
  }
})

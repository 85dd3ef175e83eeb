import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { assertNumbers, becomes, createRuntimeRig, until } from '../../../test/support/pipes/runtime-rig.ts'
import { DestinationError } from '../destination.ts'
import { sourcePipeOf } from './source-pipe.ts'

test('a source with an end is read to it by several workers, each number once; then the pipe is completed', async (t) => {
  const { open, order, applied, id, destination, store, workers } = await createRuntimeRig(t)
  order({ lanes: 3, until: 1_000, batch: 100, rejectEvery: 500 })
  const runtime = open()
  assert.deepEqual(await runtime.observe(id), { known: true, state: 'absent', generation: 0, reason: '' })
  const pipe = applied()
  await runtime.apply({ ...pipe, spec: { ...pipe.spec, scaling: { ...pipe.spec.scaling, replicas: 2 } } })
  assert.equal(await becomes(runtime, id, 'completed', 'failed'), 'everything was loaded')
  assert.equal(destination.rows.length, 3 * 998)
  assert.equal(new Set(destination.rows).size, 3 * 998)
  assert.equal(destination.rejects.length, 6)
  const { rows, rejected, delivery, phase } = runtime.status(id) ?? assert.fail()
  assert.deepEqual([rows, rejected, delivery, phase], [2_994, 6, 'exactly_once', 'stopped'])
  assert.deepEqual(await workers(), [])
  const again = open()
  await again.apply(pipe)
  assert.equal(await becomes(again, id, 'completed'), 'everything was loaded')
  assert.equal((await store.pipeJournal.run(id))?.rows, 2_994)
  assert.deepEqual(await store.pipeJournal.pending(id), [])
})

test('whatever dies, each number is in the table once: workers, and the control process between its steps', async (t) => {
  const { open, order, applied, id, destination, store, workers } = await createRuntimeRig(t)
  order({ lanes: 2, until: 3_000, batch: 50, isContinuous: true })
  const pipe = applied()
  const reached = (count: number) => until(() => destination.rows.length >= count)
  // The service has the rows, but the control process does not learn it and is cut off.
  let runtime = open()
  await runtime.apply(pipe)
  await reached(500)
  destination.after = async () => {
    void runtime.close(AbortSignal.abort())
    throw new DestinationError('retry', 'the connection was lost')
  }
  await until(async () => (await store.pipeJournal.pending(id)).length > 0 && (await workers()).length === 0)
  destination.after = () => undefined
  runtime = open()
  await runtime.apply(pipe)
  await reached(2_000)
  assert.ok(destination.repeated > 0, 'a batch was sent again under its token')
  for (let kills = 0; kills < 3; kills++) {
    const [pid] = await until(async () => ((await workers()).length > 0 ? await workers() : null))
    process.kill(pid ?? assert.fail(), 'SIGKILL')
    await reached(destination.rows.length + 100)
  }
  await reached(6_000)
  await runtime.close()
  assertNumbers(destination.rows, 2, 3_000)
  assert.equal((await store.pipeJournal.run(id))?.rows, 6_000)
  assert.deepEqual(await workers(), [])
})

test('a pipe stops with its begun batches finished, goes on where it was, and takes a change while it runs', async (t) => {
  const { open, order, applied, id, destination, store, workers } = await createRuntimeRig(t)
  order({ lanes: 1, until: 100_000, batch: 10, isContinuous: true })
  const runtime = open()
  await runtime.apply(applied())
  await until(() => destination.rows.length > 50)
  const told: string[] = []
  runtime.onChange((pipeId) => void runtime.observe(pipeId).then((it) => it.known && told.push(it.state)))
  await runtime.apply(applied({ desired: 'stopped' }))
  await becomes(runtime, id, 'stopped')
  assert.ok(told.includes('stopping'))
  const count = destination.rows.length
  assert.deepEqual(await store.pipeJournal.pending(id), [])
  assert.deepEqual(await workers(), [])
  assert.equal((await store.pipeJournal.lanes(id))[0]?.position, String(count))
  assert.equal(runtime.status(id)?.phase, 'stopped')

  order({ lanes: 1, until: count + 100, batch: 10, isContinuous: true })
  const pipe = applied()
  await runtime.apply(pipe)
  await until(() => destination.rows.length === count + 100)
  const [pid] = await workers()
  await runtime.apply({ ...pipe, generation: pipe.generation + 1, spec: { ...pipe.spec, name: 'renamed' } })
  assert.deepEqual(await runtime.observe(id), {
    ...{ known: true, state: 'running', generation: pipe.generation + 1, reason: '' },
  })
  assert.deepEqual(await workers(), [pid], 'a new name is not worth a restart')
  const settings = { ...pipe.spec.settings, streaming_max_insert_wait_ms: 700 }
  await runtime.apply({ ...pipe, generation: 99, spec: { ...pipe.spec, settings } })
  const observed = await runtime.observe(id)
  assert.deepEqual(observed.known && [observed.state, observed.generation], ['running', 99])
  await until(async () => (await workers()).some((other) => other !== pid))
  assertNumbers(destination.rows, 1, count + 100)
})

test('a pipe that was prepared lets its service sleep until it has data', async (t) => {
  const { open, order, applied, id, destination } = await createRuntimeRig(t)
  order({ lanes: 1, until: 10, batch: 10, isContinuous: true })
  const pipe = applied()
  const first = open()
  await first.apply(pipe)
  await until(() => first.status(id)?.rows === 10)
  await first.close()
  destination.calls = []
  const second = open()
  await second.apply(pipe)
  await until(() => second.status(id)?.lag.records === 0)
  assert.deepEqual(destination.calls, [])
  order({ lanes: 1, until: 20, batch: 10, isContinuous: true })
  await until(() => second.status(id)?.rows === 20)
  assert.deepEqual(destination.calls, ['prepare', 'committed', 'insert'])
})

test('a stopped pipe has its counters after a restart, and no socket is left in between', async (t) => {
  const { open, order, applied, id, socketDir } = await createRuntimeRig(t)
  order({ lanes: 1, until: 10, batch: 10, isContinuous: true, rejectEvery: 5 })
  const first = open()
  await first.apply(applied())
  await until(() => first.status(id)?.rows === 8)
  assert.ok(existsSync(socketDir))
  await first.close()
  assert.ok(!existsSync(socketDir))
  const second = open()
  await second.apply(applied({ desired: 'stopped' }))
  await becomes(second, id, 'stopped')
  const { rows, rejected, phase } = second.status(id) ?? assert.fail()
  assert.deepEqual([rows, rejected, phase], [8, 2, 'stopped'])
})

test('a failing source is tried again until patience ends; the pipe says why, and starts again on request', async (t) => {
  const { open, order, applied, id, destination } = await createRuntimeRig(t)
  const backoff = { baseMs: 20, maxMs: 50 }
  const patient = open({ limits: { source: { limitMs: 60_000, backoff }, wellMs: 10 } })
  const numbers = { lanes: 1, until: 5, batch: 5, isContinuous: true }
  order({ ...numbers, fail: { verdict: 'retry', message: 'broker-1 does not answer' } })
  await patient.apply(applied())
  assert.equal(await becomes(patient, id, 'degraded'), 'broker-1 does not answer')
  assert.equal(patient.status(id)?.lastError?.message, 'broker-1 does not answer')
  order(numbers)
  await becomes(patient, id, 'running')
  await until(() => destination.rows.length === 5)
  await patient.close()
  const runtime = open({ limits: { source: { limitMs: 200, backoff } } })
  await runtime.apply(applied())
  order({ ...numbers, fail: { verdict: 'retry', message: 'broker-1 does not answer' } })
  assert.equal(await becomes(runtime, id, 'failed'), 'broker-1 does not answer')
  order({ ...numbers, fail: { verdict: 'stop', message: 'the topic is gone' } })
  await runtime.apply(applied())
  await until(async () => (await becomes(runtime, id, 'failed')) === 'the topic is gone')
  order({ ...numbers, fail: { verdict: 'bug', message: 'x is not a function' } })
  await runtime.apply(applied())
  await until(async () => (await becomes(runtime, id, 'failed')) === 'x is not a function')
  order({ ...numbers, until: 10 })
  await runtime.apply(applied())
  await until(() => destination.rows.length === 10)
  assertNumbers(destination.rows, 1, 10)
})

test('a worker that crashes again and again, or uses too much memory, fails its pipe in the end', async (t) => {
  const { open, order, applied, id, log } = await createRuntimeRig(t)
  const patience = { limitMs: 1, backoff: { baseMs: 1, maxMs: 1 } }
  const watch = { pollMs: 20, startPollMs: 10, statusTimeoutMs: 10_000, startTurnMs: 1_000 }
  const history = { wellMs: 30_000, servedMs: 30_000, backoff: { baseMs: 1, maxMs: 1 } }
  const runtime = open({ limits: { source: patience, watch, history, wellMs: 60_000 } })
  order({ lanes: 1, until: 10, batch: 10, crashAt: 5 })
  await runtime.apply(applied())
  assert.match(await becomes(runtime, id, 'failed'), /^a worker ended with 9/)
  assert.ok(log.count('warn', 'a pipe worker failed') >= 2)
  order({ lanes: 1, until: 10, batch: 10, isContinuous: true, hogBytes: 64 * 1024 * 1024 })
  await runtime.apply(applied())
  await until(async () => /replicaMemoryGb allows 512 MiB/.test(await becomes(runtime, id, 'failed')))
})

test('a destination that fails is waited for; one that refuses fails the pipe, and the batch stays begun', async (t) => {
  const { open, order, applied, id, destination, store } = await createRuntimeRig(t)
  order({ lanes: 1, until: 100, batch: 10, isContinuous: true })
  let failures = 3
  destination.before = (call) => {
    if (call === 'insert' && failures-- > 0) throw new DestinationError('retry', 'the service is full')
  }
  const seen: (string | undefined)[] = []
  const runtime = open({
    limits: { destination: { limitMs: 60_000, backoff: { baseMs: 30, maxMs: 30 } } },
  })
  runtime.onChange((pipeId) => void runtime.observe(pipeId).then((it) => it.known && seen.push(it.reason)))
  await runtime.apply(applied())
  await until(() => destination.rows.length === 100)
  assert.ok(seen.includes('the service is full'))
  destination.before = () => {
    throw new DestinationError('stop', 'the table orders was dropped')
  }
  order({ lanes: 1, until: 110, batch: 10, isContinuous: true })
  assert.equal(await becomes(runtime, id, 'failed'), 'the table orders was dropped')
  assert.equal((await store.pipeJournal.pending(id)).length, 1)
  destination.before = () => undefined
  await runtime.apply(applied())
  await until(() => destination.rows.length === 110)
  assertNumbers(destination.rows, 1, 110)
})

test('a pipe whose records are all rejected is degraded until one is not', async (t) => {
  const { open, order, applied, id, destination } = await createRuntimeRig(t)
  order({ lanes: 1, until: 10, batch: 10, isContinuous: true, rejectEvery: 1 })
  const runtime = open()
  await runtime.apply(applied())
  assert.equal(await becomes(runtime, id, 'degraded'), 'every record is rejected: 9 is not wanted')
  assert.deepEqual([destination.rejects.length, runtime.status(id)?.rejected], [10, 10])
  order({ lanes: 1, until: 20, batch: 10, isContinuous: true })
  await becomes(runtime, id, 'running')
})

test('a warehouse that was restored is filled again from where it is; a journal that was restored skips', async (t) => {
  const { open, order, applied, id, destination, store, log } = await createRuntimeRig(t)
  order({ lanes: 2, until: 100, batch: 10, isContinuous: true })
  const pipe = applied()
  const first = open()
  await first.apply(pipe)
  await until(() => destination.rows.length === 200)
  await first.close()
  // The warehouse of an hour ago: lane 0 ended at 50, and lane 1 did not exist.
  const old = destination.tokens.find((token) => token.includes(':n/0:40-50')) ?? assert.fail()
  destination.ledger = new Map([['n/0', { lane: 'n/0', token: old, last: '50' }]])
  destination.rows = destination.rows.filter((row) => /"lane":0,"n":[1-4]?\d}/.test(row))
  const second = open()
  await second.apply({ ...pipe, generation: 50 })
  await until(() => destination.rows.length === 200)
  assertNumbers(destination.rows, 2, 100)
  assert.equal(log.count('warn', '2 lanes were set back'), 1)
  assert.match(
    await becomes(second, id, 'running'),
    /2 lanes were set back, because the warehouse holds less/,
  )
  await second.close()
  // The journal of an hour ago.
  const [lane = assert.fail()] = await store.pipeJournal.lanes(id)
  await store.transaction((tx) => tx.pipeJournal.place(id, { ...lane, position: '70', sequence: 7 }))
  const third = open()
  await third.apply({ ...pipe, generation: 51 })
  order({ lanes: 2, until: 120, batch: 10, isContinuous: true })
  await until(() => destination.rows.length === 240)
  assertNumbers(destination.rows, 2, 120)
  assert.equal(log.count('warn', '1 lanes were set forward'), 1)
})

test('a worker that fails while it looks at a source is replaced, three times at most', async (t) => {
  const { open, order, applied, log } = await createRuntimeRig(t)
  order({ lanes: 1, until: 9, batch: 9, crashAt: -1 })
  const runtime = open()
  const { signal } = new AbortController()
  await assert.rejects(runtime.check(sourcePipeOf(applied()), { sample: false, signal }))
  assert.equal(log.count('warn', 'a worker for one task failed'), 2)
})

test('a source is looked at by a worker of its own; a deleted pipe leaves nothing behind', async (t) => {
  const { open, order, applied, id, dataDir, workers } = await createRuntimeRig(t)
  order({ lanes: 1, until: 100, batch: 10, isContinuous: true })
  const runtime = open()
  const pipe = applied()
  const { signal } = new AbortController()
  const source = sourcePipeOf(pipe)
  const found = await runtime.check(source, { sample: true, signal })
  assert.ok(found.ok && found.sample?.kind === 'bytes')
  assert.equal(Buffer.from(found.sample.bytes).toString(), '{"lane":0,"n":0}\n')
  order({ lanes: 1, until: 9, batch: 9, fail: { verdict: 'stop', message: 'no such host' } })
  const refused = await runtime.check(source, { sample: false, signal })
  assert.deepEqual(refused, {
    ok: false,
    problems: [{ path: ['kafka', 'brokers'], message: 'no such host' }],
  })
  await assert.rejects(runtime.check(source, { sample: false, signal: AbortSignal.abort() }), /abort/i)

  order({ lanes: 1, until: 100, batch: 10, isContinuous: true })
  await runtime.apply(pipe)
  await until(() => runtime.status(id)?.rows === 100)
  await runtime.close()
  const later = open()
  const observed = await later.observe(id)
  assert.equal(observed.known && observed.state, 'stopped', 'its files are still there')
  await later.destroy(id, pipe)
  await becomes(later, id, 'absent')
  assert.equal(existsSync(join(dataDir, 'pipes', id)), false)
  assert.deepEqual(await workers(), [])
})

test('a pipe from a source that this version cannot read says so at once', async (t) => {
  const { open, applied, id, workers } = await createRuntimeRig(t)
  const runtime = open()
  const pipe = applied()
  const unknown = { ...pipe, spec: { ...pipe.spec, source: { redis: {} } as never } }
  await runtime.apply(unknown)
  assert.equal(await becomes(runtime, id, 'failed'), 'this version does not run pipes from redis yet')
  const { signal } = new AbortController()
  assert.ok((await runtime.check(sourcePipeOf(unknown), { sample: true, signal })).ok)
  assert.deepEqual(await workers(), [])
})

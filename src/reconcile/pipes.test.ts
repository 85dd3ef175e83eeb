import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createFakePipes } from '../../test/support/fake-pipes.ts'
import { createLoopRig } from '../../test/support/loop-rig.ts'
import { addOrganization, addPipe, addService, pipeSecrets } from '../../test/support/store-records.ts'
import { claimOne } from '../../test/support/store-rig.ts'
import { applyCommand } from '../domain/pipe/transitions.ts'
import type { PipeCommand } from '../domain/pipe/types.ts'
import type { ServiceState } from '../domain/service/types.ts'
import type { PipeRuntime } from '../pipes/runtime.ts'
import type { PipeRecord } from '../store/store.ts'
import { createHint } from './hints.ts'
import { TerminalError } from './loop.ts'
import { createPipeLoop } from './pipes.ts'

async function createRig(t: TestContext, serviceState: ServiceState = 'running') {
  const rig = await createLoopRig(t)
  const { store, clock } = rig
  const runtime = createFakePipes()
  const { id: organizationId } = await addOrganization(store)
  const service = await addService(store, organizationId)
  const claim = await claimOne(store, 'service', service.id)
  await store.services.saveStatus(service, { ...service.status, state: serviceState }, claim)
  const pipe = await addPipe(store, service)
  const read = async () => (await store.pipes.find(pipe.id)) ?? assert.fail('the pipe is gone')
  const intend = (plan: (pipe: PipeRecord) => Partial<PipeRecord>) =>
    store.transaction(async (tx) => {
      const current = (await tx.pipes.get(service.id, pipe.id)) ?? assert.fail()
      return tx.pipes.saveIntent({ ...current, ...plan(current) })
    })
  return {
    ...rig,
    runtime,
    service,
    serviceClaim: claim,
    pipe,
    read,
    start: (on: PipeRuntime | null = runtime) =>
      rig.start(createPipeLoop({ store, runtime: on, dataPlaneId: '', clock })),
    told: async () => {
      const { state, reason } = (await read()).status
      return [state, reason]
    },
    intend,
    command: (command: PipeCommand) =>
      intend(({ spec, status }) => {
        const result = applyCommand(spec, status, command)
        assert.ok(result.outcome === 'accepted' && result.changed)
        return { spec: result.spec, status: { ...status, state: result.state, reason: result.reason } }
      }),
  }
}

test('a pipe is handed over with its secrets, runs, stops, starts, and is gone when deleted', async (t) => {
  const { start, clock, told, read, runtime, pipe, service, command, intend, store, queued } =
    await createRig(t)
  start()
  await clock.advance(5_000)
  assert.deepEqual(await told(), ['Running', 'reading'])
  assert.equal((await read()).status.observedGeneration, 1)
  const [first] = runtime.applied
  assert.deepEqual([first?.id, first?.serviceId, first?.generation], [pipe.id, service.id, 1])
  assert.deepEqual(first?.secrets, pipeSecrets)
  assert.deepEqual(first?.spec, pipe.spec)

  await command('stop')
  await clock.advance(5_000)
  assert.deepEqual(await told(), ['Stopped', 'stopped on request'])
  await command('start')
  await clock.advance(5_000)
  assert.deepEqual(await told(), ['Running', 'reading'])
  assert.deepEqual(
    runtime.applied.map(({ generation }) => generation),
    [1, 2, 3],
  )

  await intend(() => ({ deleting: true }))
  await clock.advance(5_000)
  assert.deepEqual(runtime.destroyed, [pipe.id])
  assert.equal(await store.pipes.find(pipe.id), null)
  assert.deepEqual(
    (await queued()).filter((item) => item.startsWith('pipe/')),
    [],
  )
})

test('a pipe waits for its service, and goes on when that runs', async (t) => {
  const { start, clock, told, runtime, store, service, serviceClaim } = await createRig(t, 'provisioning')
  start()
  await clock.advance(5_000)
  assert.deepEqual(await told(), [
    'Provisioning',
    'the service is provisioning; the pipe goes on when it runs',
  ])
  assert.equal(runtime.applied.length, 0)
  await store.services.saveStatus(service, { ...service.status, state: 'running' }, serviceClaim)
  await clock.advance(5_000)
  assert.deepEqual(await told(), ['Running', 'reading'])
})

test('a runtime that gave up: failed with its reason, and a start is a new attempt', async (t) => {
  const { start, clock, told, runtime, command } = await createRig(t)
  runtime.outcome = { state: 'failed', reason: 'the broker refuses the password' }
  start()
  await clock.advance(60_000)
  assert.deepEqual(await told(), ['Failed', 'the broker refuses the password'])
  assert.equal(runtime.applied.length, 1)
  runtime.outcome = { state: 'running', reason: 'reading' }
  await command('start')
  await clock.advance(5_000)
  assert.deepEqual(await told(), ['Running', 'reading'])
})

test('a runtime that throws: the reason is shown, the state stays, and it is tried again', async (t) => {
  const { start, clock, told, read, runtime } = await createRig(t)
  const { since } = (await read()).status
  runtime.before = () => {
    throw new Error('the runtime does not answer')
  }
  start()
  await clock.advance(6_500)
  assert.deepEqual(await told(), ['Provisioning', 'the runtime does not answer'])
  assert.equal((await read()).status.since, since)
  runtime.before = () => undefined
  await clock.advance(15_000)
  assert.deepEqual(await told(), ['Running', 'reading'])
})

test('a runtime that fails for good: failed, and not tried before the next intent', async (t) => {
  const { start, clock, told, runtime, command } = await createRig(t)
  let calls = 0
  runtime.before = () => {
    calls += 1
    throw new TerminalError('this kind is not built in')
  }
  start()
  await clock.advance(600_000)
  assert.deepEqual(await told(), ['Failed', 'this kind is not built in'])
  assert.equal(calls, 1)
  runtime.before = () => undefined
  await command('start')
  await clock.advance(5_000)
  assert.deepEqual(await told(), ['Running', 'reading'])
})

test('a runtime that cannot tell changes nothing', async (t) => {
  const { start, clock, told, runtime, intend } = await createRig(t)
  start()
  await clock.advance(5_000)
  runtime.knows = false
  await intend(() => ({}))
  await clock.advance(5_000)
  assert.deepEqual(await told(), ['Running', 'the pipe runtime has not reported yet'])
  assert.equal(runtime.applied.length, 1)
})

test('an intent that comes during a run: the status of that run is dropped, the new one follows at once', async (t) => {
  const { start, clock, told, read, runtime, command } = await createRig(t)
  start()
  await clock.advance(5_000)
  const held = Promise.withResolvers<void>()
  runtime.before = (call) => (call === 'observe' ? held.promise : undefined)
  await command('stop')
  await clock.advance(1_000)
  await command('start')
  const seen: string[] = []
  runtime.before = async (call) => {
    if (call === 'observe') seen.push((await read()).status.state)
  }
  held.resolve()
  await clock.advance(0)
  assert.deepEqual(seen.slice(0, 1), ['Provisioning'], 'not found by a next run at once, or overwritten')
  await clock.advance(15_000)
  assert.deepEqual(await told(), ['Running', 'reading'])
  assert.equal((await read()).status.observedGeneration, 3)
})

test('a pipe whose service was removed is ended, though its record is gone', async (t) => {
  const { start, clock, runtime, pipe, store, service, queued } = await createRig(t)
  start()
  await clock.advance(5_000)
  const claim = await takeService()
  assert.equal(await store.transaction((tx) => tx.services.remove(service, claim)), true)
  await clock.advance(5_000)
  assert.deepEqual(runtime.destroyed, [pipe.id])
  assert.deepEqual(
    (await queued()).filter((item) => item.startsWith('pipe/')),
    [],
  )

  async function takeService() {
    await store.work.release('a')
    return claimOne(store, 'service', service.id, { owner: 'b' })
  }
})

test('without a runtime: provisioning with the reason, and stop, start and delete work', async (t) => {
  const { start, clock, told, command, intend, store, pipe, queued } = await createRig(t)
  start(null)
  await clock.advance(5_000)
  const waiting = ['Provisioning', 'no engine runs here, and without one no pipe does']
  assert.deepEqual(await told(), waiting)
  await command('stop')
  await clock.advance(1_000)
  assert.deepEqual(await told(), ['Stopped', 'stopped on request'])
  await command('start')
  await clock.advance(1_000)
  assert.deepEqual(await told(), waiting)
  await intend(() => ({ deleting: true }))
  await clock.advance(1_000)
  assert.equal(await store.pipes.find(pipe.id), null)
  assert.deepEqual(
    (await queued()).filter((item) => item.startsWith('pipe/')),
    [],
  )
})

test('a pipe that changes by itself is looked at when its runtime hints, and soon also when the hint is lost', async (t) => {
  const { start, clock, told, runtime, pipe, store, log } = await createRig(t)
  const { wake } = start()
  runtime.onChange((id) => createHint({ work: store.work, wake, log })('pipe', id))
  await clock.advance(5_000)
  assert.deepEqual(await told(), ['Running', 'reading'])
  runtime.become(pipe.id, { state: 'degraded', reason: 'the broker is slow' })
  await clock.advance(0)
  assert.deepEqual(await told(), ['Degraded', 'the broker is slow'])
  runtime.become(pipe.id, { state: 'failed', reason: 'the topic is gone' }, 'lost')
  await clock.advance(60_000)
  assert.deepEqual(await told(), ['Failed', 'the topic is gone'])
})

test('a pipe that runs on and on is looked at ever more rarely', async (t) => {
  const { start, clock, runtime } = await createRig(t)
  start()
  let looks = 0
  await clock.advance(5_000)
  runtime.before = (call) => {
    if (call === 'observe') looks += 1
  }
  const during = async (ms: number) => {
    const before = looks
    await clock.advance(ms)
    return looks - before
  }
  assert.equal(await during(60_000), 1)
  await during(600_000)
  assert.equal(await during(600_000), 2)
})

test('a hint that cannot be written down is only told to the log', async (t) => {
  const { log, clock } = await createRig(t)
  const work = { nudge: () => Promise.reject(new Error('the store is away')) }
  createHint({ work, wake: () => assert.fail('nothing is due'), log })('pipe', 'p')
  await clock.advance(0)
  assert.equal(log.count('warn', 'a change will be seen later'), 1)
})

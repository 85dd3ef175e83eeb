import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Action,
  type PlanLimits,
  type ProcessView,
  planWarehouse,
  type ServiceWish,
  type Situation,
} from './plan.ts'

const limits: PlanLimits = {
  startDeadlineMs: 60_000,
  silentDeadlineMs: 30_000,
  sickDeadlineMs: 5_000,
  endGraceMs: 5_000,
}
const nowMs = 1_000_000

const primary = (over: Partial<ServiceWish> = {}): ServiceWish => ({
  serviceId: 'p',
  role: 'primary',
  power: 'on',
  replicas: 1,
  memoryBytesPerReplica: 8,
  durableInserts: true,
  removing: false,
  holdsWriter: false,
  restoring: false,
  ...over,
})

const secondary = (over: Partial<ServiceWish> = {}): ServiceWish =>
  primary({ serviceId: 's', role: 'secondary', ...over })

const running = (replicaId: string, over: Partial<ProcessView> = {}): ProcessView => ({
  replicaId,
  epoch: 1,
  serviceId: replicaId.split('-')[0] ?? '',
  role: replicaId === 'p-0' ? 'writer' : 'reader',
  memoryBytes: 8,
  durableInserts: true,
  phase: 'serving',
  sinceMs: nowMs - 1_000,
  silentSinceMs: null,
  engineError: '',
  draining: false,
  killedAtMs: null,
  drainMs: 30_000,
  ...over,
})

function plan(services: ServiceWish[], processes: ProcessView[] = [], over: Partial<Situation> = {}) {
  const { actions, lookAgainAtMs } = planWarehouse(
    { services, processes, notBeforeMs: new Map(), nowMs, ...over },
    limits,
  )
  return { steps: actions.map(told), lookAgainAtMs, actions }
}

function told(action: Action): string {
  if (action.type !== 'start') return `${action.type} ${action.replicaId}.${action.epoch}: ${action.reason}`
  const { replicaId, role, memoryBytes } = action.replica
  return `start ${replicaId} ${role} ${memoryBytes}`
}

test('on: the first replica of the primary writes, all others read, and all start at once', () => {
  const { steps } = plan([secondary({ replicas: 2, memoryBytesPerReplica: 16 }), primary({ replicas: 3 })])
  assert.deepEqual(steps, [
    'start s-0 reader 16',
    'start s-1 reader 16',
    'start p-0 writer 8',
    'start p-1 reader 8',
    'start p-2 reader 8',
  ])
})

test('what runs as wanted is left alone, starting or serving, and nothing needs another look', () => {
  const serving = plan([primary({ replicas: 2 })], [running('p-0'), running('p-1')])
  assert.deepEqual(serving, { steps: [], actions: [], lookAgainAtMs: Number.POSITIVE_INFINITY })
  const starting = plan([primary()], [running('p-0', { phase: 'starting', sinceMs: nowMs - 10_000 })])
  assert.deepEqual([starting.steps, starting.lookAgainAtMs], [[], nowMs + 50_000])
})

for (const [power, reason] of [
  ['off', 'the service stops'],
  ['idle', 'the service goes to sleep'],
] as const) {
  test(`${power}: all replicas of the service end, those of others go on`, () => {
    const { steps } = plan(
      [primary({ power, replicas: 2 }), secondary()],
      [running('p-0'), running('p-1', { phase: 'starting' }), running('s-0')],
    )
    assert.deepEqual(steps, [`end p-0.1: ${reason}`, `end p-1.1: ${reason}`])
  })
}

test('a secondary runs without its primary, and has no writer', () => {
  const { steps } = plan([primary({ power: 'off' }), secondary({ replicas: 2 })])
  assert.deepEqual(steps, ['start s-0 reader 8', 'start s-1 reader 8'])
})

test('fewer replicas: the highest end; more: the missing start', () => {
  const three = [running('p-0'), running('p-1'), running('p-2')]
  const fewer = plan([primary({ replicas: 1 })], three)
  assert.deepEqual(fewer.steps, ['end p-1.1: is one too many', 'end p-2.1: is one too many'])
  assert.deepEqual(plan([primary({ replicas: 5 })], three).steps, [
    'start p-3 reader 8',
    'start p-4 reader 8',
  ])
})

test('up to many replicas and back: indexes are numbers, not text', () => {
  const twelve = Array.from({ length: 12 }, (_, index) => running(`p-${index}`))
  const { steps } = plan([primary({ replicas: 10 })], twelve)
  assert.deepEqual(steps, ['end p-10.1: is one too many', 'end p-11.1: is one too many'])
})

test('memory of a reader: the new one starts beside the old one, which ends when the new one serves', () => {
  const wish = secondary({ memoryBytesPerReplica: 16 })
  assert.deepEqual(plan([wish], [running('s-0')]).steps, ['start s-0 reader 16'])
  const next = running('s-0', { epoch: 2, memoryBytes: 16, phase: 'starting' })
  assert.deepEqual(plan([wish], [running('s-0'), next]).steps, [])
  const silent = { ...next, phase: 'serving', silentSinceMs: nowMs - 10 } as const
  assert.deepEqual(plan([wish], [running('s-0'), silent]).steps, [])
  const serving = { ...next, phase: 'serving' } as const
  assert.deepEqual(plan([wish], [running('s-0'), serving]).steps, ['end s-0.1: epoch 2 has taken over'])
  const ending = running('s-0', { phase: 'ending' })
  assert.deepEqual(plan([wish], [ending, serving]).steps, [])
})

test('memory of a reader changes again before the first change is through: the one in between ends', () => {
  const between = running('s-0', { epoch: 2, memoryBytes: 16, phase: 'starting' })
  const again = plan([secondary({ memoryBytesPerReplica: 32 })], [running('s-0'), between])
  assert.deepEqual(again.steps, ['end s-0.2: gets another memory limit', 'start s-0 reader 32'])
  // Back to the memory of the old process.
  const back = plan([secondary()], [running('s-0'), between])
  assert.deepEqual(back.steps, ['end s-0.2: epoch 1 has taken over'])
})

test('memory of a reader that is not up yet: nobody waits for it', () => {
  const wish = secondary({ memoryBytesPerReplica: 16 })
  const { steps } = plan([wish], [running('s-0', { phase: 'starting' })])
  assert.deepEqual(steps, ['end s-0.1: gets another memory limit', 'start s-0 reader 16'])
})

test('memory of the writer: the old one ends, and only when it is gone the new one starts', () => {
  const wish = primary({ memoryBytesPerReplica: 16 })
  assert.deepEqual(plan([wish], [running('p-0')]).steps, ['end p-0.1: gets another memory limit'])
  assert.deepEqual(plan([wish], [running('p-0', { phase: 'ending' })]).steps, [])
  assert.deepEqual(plan([wish], [running('p-0', { phase: 'ending', killedAtMs: nowMs })]).steps, [])
  assert.deepEqual(plan([wish]).steps, ['start p-0 writer 16'])
})

test('a writer that is to acknowledge inserts at another moment is replaced, a reader is not', () => {
  const wish = primary({ replicas: 2, durableInserts: false })
  const { steps } = plan([wish], [running('p-0'), running('p-1')])
  assert.deepEqual(steps, ['end p-0.1: gets other settings'])
})

test('a writer never starts while any process that writes is left, whosever it is', () => {
  const stray = running('old-0', { role: 'writer', phase: 'ending' })
  assert.deepEqual(plan([primary()], [stray]).steps, [])
  const unwanted = running('old-0', { role: 'writer' })
  assert.deepEqual(plan([primary()], [unwanted]).steps, ['end old-0.1: belongs to no service'])
})

test('two services that both call themselves primary: still one writer', () => {
  const both = [primary(), primary({ serviceId: 'q' })]
  assert.deepEqual(plan(both, [running('p-0')]).steps, [])
  assert.deepEqual(plan(both, [running('p-0', { phase: 'ending' })]).steps, [])
})

test('a service that becomes the primary: its first reader ends, and a writer comes when none is left', () => {
  const promoted = primary({ serviceId: 's' })
  const before = [running('p-0', { phase: 'ending' }), running('s-0')]
  assert.deepEqual(plan([promoted], before).steps, ['end s-0.1: is to be a writer'])
  assert.deepEqual(plan([promoted], [running('s-0', { phase: 'ending' })]).steps, ['start s-0 writer 8'])
})

test('what failed starts again, but not before its time', () => {
  const early = plan([primary()], [], { notBeforeMs: new Map([['p-0', nowMs + 500]]) })
  assert.deepEqual([early.steps, early.lookAgainAtMs], [[], nowMs + 500])
  const due = plan([primary()], [], { notBeforeMs: new Map([['p-0', nowMs]]) })
  assert.deepEqual(due.steps, ['start p-0 writer 8'])
})

test('a replica that does not come up, or does not answer, within its deadline is forced to end', () => {
  const starting = running('p-0', { phase: 'starting', sinceMs: nowMs - 60_000 })
  assert.deepEqual(plan([primary()], [starting]).steps, ['kill p-0.1: did not serve within 60 s'])
  const silent = (ms: number) => [running('p-0', { silentSinceMs: nowMs - ms })]
  assert.deepEqual(plan([primary()], silent(30_000)).steps, ['kill p-0.1: has not answered for 30 s'])
  const patient = plan([primary()], silent(29_000))
  assert.deepEqual([patient.steps, patient.lookAgainAtMs], [[], nowMs + 1_000])
  const sick = (ms: number) => [running('p-0', { silentSinceMs: nowMs - ms, engineError: 'NO: way' })]
  assert.deepEqual(plan([primary()], sick(5_000)).steps, ['kill p-0.1: takes no new connection: NO: way'])
  assert.equal(plan([primary()], sick(4_000)).lookAgainAtMs, nowMs + 1_000)
})

test('a reader that is forced to end is replaced when it is gone: only then it is known how long to wait', () => {
  const silent = running('s-0', { silentSinceMs: nowMs - 30_000 })
  assert.deepEqual(plan([secondary()], [silent]).steps, ['kill s-0.1: has not answered for 30 s'])
  const killed = running('s-0', { phase: 'ending', killedAtMs: nowMs - 10 })
  assert.deepEqual(plan([secondary()], [killed]).steps, [])
  // A reader that was asked to end, not killed, does not hold up its replacement.
  const ending = running('s-0', { phase: 'ending' })
  assert.deepEqual(plan([secondary()], [ending]).steps, ['start s-0 reader 8'])
})

test('a replica that does not end within its time to drain is forced to, again and again', () => {
  const ending = (ms: number, over: Partial<ProcessView> = {}) => [
    running('p-0', { phase: 'ending', sinceMs: nowMs - ms, ...over }),
  ]
  const waits = plan([primary({ power: 'off' })], ending(34_999))
  assert.deepEqual([waits.steps, waits.lookAgainAtMs], [[], nowMs + 1])
  assert.deepEqual(plan([primary({ power: 'off' })], ending(35_000)).steps, [
    'kill p-0.1: did not end in time',
  ])
  // The drain limit is the one that the process was started with.
  const long = plan([primary({ power: 'off' })], ending(35_000, { drainMs: 60_000 }))
  assert.deepEqual(long.steps, [])
  const killed = ending(40_000, { killedAtMs: nowMs - 1_000 })
  const again = plan([primary({ power: 'off' })], killed)
  assert.deepEqual([again.steps, again.lookAgainAtMs], [[], nowMs + 1_000])
  const still = ending(40_000, { killedAtMs: nowMs - 2_000 })
  assert.deepEqual(plan([primary({ power: 'off' })], still).steps, ['kill p-0.1: is still there'])
})

test('a reader that drains without being asked is replaced at once; a writer when it is gone', () => {
  const reader = plan([secondary()], [running('s-0', { draining: true })])
  assert.deepEqual(reader.steps, ['end s-0.1: turns statements away', 'start s-0 reader 8'])
  const writer = plan([primary()], [running('p-0', { draining: true })])
  assert.deepEqual(writer.steps, ['end p-0.1: turns statements away'])
})

test('of two processes for one replica the one that serves stays, or else the newer one', () => {
  const newer = running('s-0', { epoch: 2 })
  assert.deepEqual(plan([secondary()], [running('s-0'), newer]).steps, ['end s-0.1: epoch 2 has taken over'])
  const starting = running('s-0', { epoch: 2, phase: 'starting' })
  assert.deepEqual(plan([secondary()], [running('s-0'), starting]).steps, [
    'end s-0.2: epoch 1 has taken over',
  ])
})

test('a service that is being removed runs nothing, whatever its power says', () => {
  const { steps } = plan([primary({ removing: true })], [running('p-0')])
  assert.deepEqual(steps, ['end p-0.1: the service is being removed'])
})

test('a writer that is held runs without its service, alone, and stays as it is', () => {
  const asleep = secondary({ power: 'idle', holdsWriter: true })
  const held = { holdsWriter: true, replicas: 2 }
  assert.deepEqual(plan([primary({ ...held, power: 'idle' }), asleep]).steps, ['start p-0 writer 8'])
  const both = [running('p-0'), running('p-1')]
  const off = primary({ ...held, power: 'off' })
  assert.deepEqual(plan([off], both).steps, ['end p-1.1: the service stops'])
  assert.deepEqual(plan([primary(held)], both).steps, [])
  assert.deepEqual(
    plan([primary({ ...held, replicas: 1, memoryBytesPerReplica: 16 })], [running('p-0')]).steps,
    [],
  )
  const removed = plan([primary({ ...held, removing: true })], [running('p-0')])
  assert.deepEqual(removed.steps, ['end p-0.1: the service is being removed'])
})

test('a warehouse that is being restored runs nothing but a writer that is held', () => {
  const restoring = { restoring: true, replicas: 2 }
  assert.deepEqual(plan([primary(restoring), secondary(restoring)]).steps, [])
  assert.deepEqual(plan([primary(restoring)], [running('p-0')]).steps, [
    'end p-0.1: the service is restored anew',
  ])
  const held = { ...restoring, holdsWriter: true }
  assert.deepEqual(plan([primary(held), secondary(held)]).steps, ['start p-0 writer 8'])
  assert.deepEqual(plan([primary({ ...held, restoring: false })], [running('p-0')]).steps, [
    'start p-1 reader 8',
  ])
})

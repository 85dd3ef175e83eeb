import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type ProcessView, planWarehouse, type ServiceWish, wishesOf } from './plan.ts'

const limits = { startDeadlineMs: 60_000, silentDeadlineMs: 30_000, sickDeadlineMs: 5_000, endGraceMs: 5_000 }

type Step =
  | { kind: 'wish'; service: 0 | 1; power: ServiceWish['power']; replicas: number; memory: number }
  | { kind: 'hold'; holdsWriter: boolean; restoring: boolean }
  | { kind: 'pass'; ms: number }
  | { kind: 'up' | 'die' | 'drain' | 'mute'; which: number }

const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('wish' as const),
      service: fc.constantFrom(0 as const, 1 as const),
      power: fc.constantFrom('on' as const, 'on' as const, 'idle' as const, 'off' as const),
      replicas: fc.integer({ min: 1, max: 4 }),
      memory: fc.constantFrom(8, 16, 32),
    }),
    fc.record({ kind: fc.constant('hold' as const), holdsWriter: fc.boolean(), restoring: fc.boolean() }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 70_000 }) }),
    fc.record({
      kind: fc.constantFrom('up' as const, 'up' as const, 'die' as const, 'drain' as const, 'mute' as const),
      which: fc.nat(20),
    }),
  ),
  { maxLength: 60 },
)

/** A warehouse whose processes follow the test's steps, and a driver that follows the plan. */
function createWorld() {
  const services: ServiceWish[] = ['p', 's'].map((serviceId) => ({
    serviceId,
    role: serviceId === 'p' ? 'primary' : 'secondary',
    power: 'off',
    replicas: 1,
    memoryBytesPerReplica: 8,
    durableInserts: true,
    removing: false,
    holdsWriter: false,
    restoring: false,
  }))
  let processes: ProcessView[] = []
  let nowMs = 1_000_000
  let epoch = 0
  const isServing = (process: ProcessView) =>
    process.phase === 'serving' && process.silentSinceMs === null && !process.draining

  function look(): void {
    const situation = () => ({ services, processes, notBeforeMs: new Map<string, number>(), nowMs })
    const { actions } = planWarehouse(situation(), limits)
    const served = new Set(processes.filter(isServing).map(({ replicaId }) => replicaId))
    for (const action of actions) {
      if (action.type === 'start') {
        epoch += 1
        const common = {
          phase: 'starting',
          sinceMs: nowMs,
          silentSinceMs: null,
          engineError: '',
          draining: false,
        } as const
        processes.push({ ...action.replica, ...common, epoch, killedAtMs: null, drainMs: 30_000 })
        continue
      }
      const process = processes.find((each) => each.epoch === action.epoch) ?? assert.fail()
      if (action.type === 'kill') process.killedAtMs = nowMs
      if (process.phase !== 'ending') Object.assign(process, { phase: 'ending', sinceMs: nowMs })
    }
    const writers = processes.filter(({ role }) => role === 'writer')
    assert.ok(writers.length <= 1, 'two writers at once')
    // A reader that is still wanted never ends before another one serves in its place.
    for (const { replicaId, role } of wishesOf(services)) {
      if (role === 'writer' || !served.has(replicaId)) continue
      assert.ok(processes.some((each) => each.replicaId === replicaId && isServing(each)))
    }
    assert.deepEqual(
      planWarehouse(situation(), limits).actions,
      [],
      'the plan was carried out, and wants more',
    )
  }

  return {
    take(step: Step): void {
      if (step.kind === 'wish') {
        const { power, replicas, memory } = step
        Object.assign(services[step.service] ?? {}, { power, replicas, memoryBytesPerReplica: memory })
      } else if (step.kind === 'hold') {
        const { holdsWriter, restoring } = step
        for (const service of services) Object.assign(service, { holdsWriter, restoring })
      } else if (step.kind === 'pass') nowMs += step.ms
      else {
        const process = processes[step.which % Math.max(1, processes.length)]
        if (!process) return
        if (step.kind === 'die') processes = processes.filter((each) => each !== process)
        if (step.kind === 'up' && process.phase === 'starting') process.phase = 'serving'
        if (step.kind === 'drain' && process.phase === 'serving') process.draining = true
        if (step.kind === 'mute' && process.phase === 'serving') process.silentSinceMs ??= nowMs
      }
      look()
    },
    /** While a writer is held, no wish of a service ends it. */
    checkHeld(): void {
      this.take({ kind: 'hold', holdsWriter: true, restoring: false })
      const writer = processes.find((each) => each.role === 'writer' && isServing(each))
      for (const power of ['on', 'idle', 'off', 'on'] as const) {
        this.take({ kind: 'wish', service: 0, power, replicas: 2, memory: power === 'idle' ? 16 : 32 })
        if (writer) assert.equal(writer.phase, 'serving')
      }
    },
    /** From now on every process starts and ends as it should. */
    calm(): void {
      for (let round = 0; round < 10; round += 1) {
        nowMs += 100_000
        processes = processes.filter(({ phase }) => phase !== 'ending')
        for (const process of processes) if (process.phase === 'starting') process.phase = 'serving'
        look()
      }
    },
    /** The serving processes. */
    served: () =>
      processes
        .filter(isServing)
        .map(({ replicaId, role, memoryBytes }) => `${replicaId} ${role} ${memoryBytes}`)
        .sort(),
    wanted: () =>
      wishesOf(services)
        .map(({ replicaId, role, memoryBytes }) => `${replicaId} ${role} ${memoryBytes}`)
        .sort(),
    count: () => processes.length,
  }
}

test('whatever is wished for and whatever processes do: one writer at most, no reader lost, and calm brings it all', () => {
  let busiest = 0
  fc.assert(
    fc.property(steps, (taken) => {
      const world = createWorld()
      for (const step of taken) {
        world.take(step)
        busiest = Math.max(busiest, world.count())
      }
      world.checkHeld()
      world.take({ kind: 'hold', holdsWriter: false, restoring: false })
      world.calm()
      assert.deepEqual(world.served(), world.wanted())
      assert.equal(world.count(), world.wanted().length)
    }),
    { numRuns: 500 },
  )
  assert.ok(busiest > 6, 'the steps never made a crowd')
})

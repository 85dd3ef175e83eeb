import type { Engine, EngineObservation, EngineRef, EngineSpec } from '../../src/engine/engine.ts'
import type { Clock } from '../../src/lib/clock.ts'

/**
 * An engine in memory on the real port. By itself it keeps its word: what is applied becomes true after
 * `startMs` or `stopMs`. A test makes it slow, weak, mute, forgetful or unwilling.
 */
export interface FakeEngine extends Engine {
  /** How long it takes to come up, or to change while up. */
  startMs: number
  stopMs: number
  /** How often `destroy` must be called until nothing is left. */
  destroysNeeded: number
  /** Replicas that come up at most; null = as many as are wanted. */
  replicasAtMost: number | null
  /** What it says of everything that it runs. */
  problem: EngineObservation['problem']
  /** What `apply` answers; null = it accepts. */
  refusal: { refused: string; retryable: boolean } | null
  /** Takes changes and never makes them true. */
  settles: boolean
  /** Answers that it cannot tell. */
  knows: boolean
  /** Services without a query, which it has put to sleep. */
  idle: Set<string>
  /** Runs before a call is carried out, and may throw or wait. */
  before(call: EngineCall, ref: EngineRef): Promise<void> | void
  /** In the order of the calls; refused ones and repetitions too. */
  applied: EngineSpec[]
  destroyed: { serviceId: string; data: 'keep' | 'purge' }[]
  observations: number
  /** Loses what it knows of a service, as a crash without a disk would. */
  forget(serviceId: string): void
  holds(serviceId: string): boolean
}

export type EngineCall = 'apply' | 'observe' | 'destroy'

interface Held {
  spec: EngineSpec
  /** When the newest spec is true, and what was before. */
  settledAtMs: number
  before: EngineSpec | null
  destroys: number
}

export function createFakeEngine({ clock }: { clock: Clock }): FakeEngine {
  const held = new Map<string, Held>()
  const absent: EngineObservation = {
    acceptedGeneration: 0,
    settledGeneration: 0,
    power: 'absent',
    replicas: [],
    version: '',
    problem: null,
    progress: '',
  }

  function observe({ serviceId }: EngineRef): EngineObservation {
    const item = held.get(serviceId)
    if (!engine.knows) return { ...absent, power: 'unknown' }
    if (!item) return absent
    const settled = engine.settles && clock.now() >= item.settledAtMs
    const { spec, before } = item
    // Until a change is true, what was before goes on.
    const current = settled ? spec : before
    const isOn = current?.power === 'on'
    const wanted = Math.min(current?.replicas ?? 0, engine.replicasAtMost ?? Number.POSITIVE_INFINITY)
    const isIdle = isOn && settled && engine.idle.has(serviceId)
    const power = settled
      ? spec.power
      : spec.power === 'off'
        ? 'turning_off'
        : isOn
          ? 'on'
          : ('turning_on' as const)
    return {
      acceptedGeneration: spec.generation,
      settledGeneration: settled ? spec.generation : (before?.generation ?? 0),
      power: isIdle ? 'idle' : power,
      replicas: Array.from({ length: isOn && !isIdle ? wanted : 0 }, (_, index) => ({
        id: `replica-${index}`,
        canRead: true,
        canWrite: index === 0,
        memoryBytes: current?.memoryBytesPerReplica ?? 0,
      })),
      version: 'fake 1.0',
      problem: engine.problem,
      progress: settled ? '' : `turning ${spec.power}`,
    }
  }

  const engine: FakeEngine = {
    kind: 'fake',
    startMs: 10_000,
    stopMs: 2_000,
    destroysNeeded: 2,
    replicasAtMost: null,
    problem: null,
    refusal: null,
    settles: true,
    knows: true,
    idle: new Set(),
    applied: [],
    destroyed: [],
    observations: 0,
    before: () => undefined,
    forget: (serviceId) => void held.delete(serviceId),
    holds: (serviceId) => held.has(serviceId),
    capabilities: () => ({ startEstimateMs: 4_000 }),
    async apply(spec) {
      engine.applied.push(spec)
      await engine.before('apply', spec)
      if (engine.refusal) return engine.refusal
      const known = held.get(spec.serviceId)
      if (known && known.spec.generation > spec.generation) {
        return { refused: `generation ${known.spec.generation} is newer`, retryable: false }
      }
      if (known?.spec.generation === spec.generation) return { accepted: spec.generation }
      const wasTrue = known && clock.now() >= known.settledAtMs ? known.spec : (known?.before ?? null)
      const takesMs = spec.power === 'off' ? engine.stopMs : engine.startMs
      held.set(spec.serviceId, { spec, settledAtMs: clock.now() + takesMs, before: wasTrue, destroys: 0 })
      return { accepted: spec.generation }
    },
    async observe(ref) {
      engine.observations += 1
      await engine.before('observe', ref)
      return observe(ref)
    },
    async destroy(ref, data) {
      engine.destroyed.push({ serviceId: ref.serviceId, data })
      await engine.before('destroy', ref)
      const item = held.get(ref.serviceId)
      if (!item) return
      item.destroys += 1
      if (item.destroys >= engine.destroysNeeded) held.delete(ref.serviceId)
    },
    adopt: async () => [...held.values()].map(({ spec }) => spec),
  }
  return engine
}

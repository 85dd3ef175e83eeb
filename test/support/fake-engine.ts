import { embeddedDialect } from '../../src/engine/embedded/sql-dialect.ts'
import type {
  Engine,
  EngineCapabilities,
  EngineObservation,
  EngineRef,
  EngineSpec,
  ReplicaObservation,
} from '../../src/engine/engine.ts'
import type { Clock } from '../../src/lib/clock.ts'

/**
 * An in-memory engine on the real port. By default a spec that was applied is settled after `startMs` or
 * `stopMs`. A test can make the engine slow, weak, silent, forgetful or refusing.
 */
export interface FakeEngine extends Engine {
  /** How long a service takes to start, or to change while it runs. */
  startMs: number
  stopMs: number
  /** How often `destroy` must be called until nothing is left. */
  destroysNeeded: number
  /** The most replicas that start; null = as many as are wanted. */
  replicasAtMost: number | null
  /** The problem that every observation of a running service reports. */
  problem: EngineObservation['problem']
  /** The answer of `apply`; null = it accepts. */
  refusal: { refused: string; retryable: boolean } | null
  /** False = specs are accepted and never settled. */
  settles: boolean
  /** False = observations are unknown. */
  knows: boolean
  /** Services that the engine has put to sleep because they get no queries. */
  idle: Set<string>
  /** The `busy` that every observation of a running service reports. */
  busy: EngineObservation['busy']
  storage: EngineObservation['storage']
  /** Overrides fields of each observed replica. */
  replica: Partial<ReplicaObservation>
  can: EngineCapabilities
  /** Runs before a call is carried out, and may throw or wait. */
  before(call: EngineCall, ref: EngineRef): Promise<void> | void
  /** Runs after a call was carried out: if this throws, the caller never gets the answer. */
  after(call: EngineCall, ref: EngineRef): Promise<void> | void
  /** Sends a change hint. By default the engine sends one when a spec is accepted and one when it is settled. */
  announce(ref: EngineRef): void
  /** In call order, with refused and repeated ones. */
  applied: EngineSpec[]
  destroyed: { serviceId: string; data: 'keep' | 'purge' }[]
  observations: number
  /** Loses what the engine knows of a service, as a crash without a disk would. */
  forget(serviceId: string): void
  holds(serviceId: string): boolean
  /** After `close`: opens again with the specs that were applied. */
  reopen(): void
}

export type EngineCall = 'apply' | 'observe' | 'destroy'

interface Held {
  spec: EngineSpec
  /** When the newest spec settles; `before` is the spec that holds until then. */
  settledAtMs: number
  before: EngineSpec | null
  destroys: number
}

export function createFakeEngine({ clock }: { clock: Clock }): FakeEngine {
  const held = new Map<string, Held>()
  const listeners = new Set<(ref: EngineRef) => void>()
  let isClosed = false
  const absent: EngineObservation = {
    acceptedGeneration: 0,
    settledGeneration: 0,
    power: 'absent',
    replicas: [],
    version: '',
    problem: null,
    progress: '',
    busy: { merges: 0, mutations: 0, backups: 0, queries: 0 },
    storage: { parts: 0, usedBytes: 0 },
  }

  function observe({ serviceId }: EngineRef): EngineObservation {
    const item = held.get(serviceId)
    if (!engine.knows) return { ...absent, power: 'unknown' }
    if (!item) return absent
    const settled = engine.settles && clock.now() >= item.settledAtMs
    const { spec, before } = item
    // Until a change has settled, the previous spec holds.
    const current = settled ? spec : before
    const isOn = current?.power === 'on'
    const wanted = Math.min(current?.replicas ?? 0, engine.replicasAtMost ?? Number.POSITIVE_INFINITY)
    const isIdle = isOn && settled && engine.idle.has(serviceId)
    const turning = spec.power === 'on' ? 'turning_on' : 'turning_off'
    const power = settled ? spec.power : spec.power === 'on' && isOn ? 'on' : turning
    return {
      acceptedGeneration: spec.generation,
      settledGeneration: settled ? spec.generation : (before?.generation ?? 0),
      power: isIdle ? 'idle' : power,
      replicas: Array.from({ length: isOn && !isIdle && !isClosed ? wanted : 0 }, (_, index) => {
        const isWriter = index === 0 && spec.role === 'primary'
        return {
          id: `${serviceId}-${index}`,
          role: isWriter ? 'writer' : 'reader',
          address: `unix:/nowhere/${serviceId}-${index}`,
          canRead: true,
          canWrite: isWriter,
          memoryBytes: current?.memoryBytesPerReplica ?? 0,
          version: 'fake 1.0',
          startedAtMs: item.settledAtMs,
          restarts: 0,
          usage,
          ...engine.replica,
        }
      }),
      version: 'fake 1.0',
      problem: engine.problem,
      progress: settled ? '' : `turning ${spec.power}`,
      busy: engine.busy,
      storage: engine.storage,
    }
  }

  /** Sends a hint now and one when the spec settles, if there are listeners. */
  function hint(ref: EngineRef, takesMs: number): void {
    engine.announce(ref)
    if (listeners.size > 0) void clock.sleep(takesMs).then(() => engine.announce(ref))
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
    busy: absent.busy,
    storage: absent.storage,
    replica: {},
    can: {
      startEstimateMs: 4_000,
      idle: true,
      wakeEstimateMs: 4_000,
      sharedStorage: true,
      readerLagMs: 1_000,
    },
    before: () => undefined,
    after: () => undefined,
    announce(ref) {
      for (const listener of listeners) listener({ serviceId: ref.serviceId, warehouseId: ref.warehouseId })
    },
    forget: (serviceId) => void held.delete(serviceId),
    holds: (serviceId) => held.has(serviceId),
    reopen() {
      isClosed = false
    },
    capabilities: () => engine.can,
    async apply(spec) {
      engine.applied.push(spec)
      await engine.before('apply', spec)
      if (engine.refusal) return engine.refusal
      if (isClosed) return { refused: 'the engine is closed', retryable: true }
      const known = held.get(spec.serviceId)
      if (known && known.spec.generation > spec.generation) {
        return { refused: `generation ${known.spec.generation} is newer`, retryable: false }
      }
      if (known?.spec.generation === spec.generation) return { accepted: spec.generation }
      const wasTrue = known && clock.now() >= known.settledAtMs ? known.spec : (known?.before ?? null)
      const takesMs = spec.power === 'on' ? engine.startMs : engine.stopMs
      held.set(spec.serviceId, { spec, settledAtMs: clock.now() + takesMs, before: wasTrue, destroys: 0 })
      hint(spec, takesMs)
      await engine.after('apply', spec)
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
      engine.announce(ref)
      await engine.after('destroy', ref)
    },
    adopt: async () =>
      [...held.values()].map(({ spec: { serviceId, warehouseId } }) => ({ serviceId, warehouseId })),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    sql: () => embeddedDialect,
    async close() {
      isClosed = true
    },
  }
  return engine
}

const usage: ReplicaObservation['usage'] = {
  residentBytes: 0,
  peakQueryBytes: 0,
  peakResidentBytes: 0,
  cpuSeconds: 0,
  runningQueries: 0,
  queries: 0,
  failedQueries: 0,
  outOfMemory: 0,
  rowsRead: 0,
  bytesRead: 0,
  rowsWritten: 0,
  bytesWritten: 0,
}

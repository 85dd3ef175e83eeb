import { automaticOf, wantedMemoryGb } from '../domain/service/automatic.ts'
import { decideIdle } from '../domain/service/decide-idle.ts'
import type { EndpointActivity } from '../domain/service/endpoint.ts'
import { recommendMemory } from '../domain/service/recommend-memory.ts'
import type { ServiceRecord } from '../domain/service/types.ts'
import {
  largestUsage,
  recordUsage,
  type UsageHistory,
  type UsageSample,
} from '../domain/service/usage-history.ts'
import type { EngineObservation, ReplicaObservation } from '../engine/engine.ts'
import type { Clock } from '../lib/clock.ts'
import type { Store } from '../store/store.ts'
import { resizeService, sleepService } from './system-intents.ts'

export interface Automatic {
  /** Decides on sleep and size of a service that runs as asked. Resolves with when to look again. */
  consider(service: ServiceRecord, observed: EngineObservation): Promise<{ againAfterMs: number }>
  forget(serviceId: string): void
}

/** A replica reports its peak usage over this time, so samples that are taken at least this often miss no peak. */
const toldMs = 60_000
const longestSampleMs = 20_000
/** The shortest time between two samples, however fast product time passes: a sample costs real time. */
const shortestSampleMs = 1_000

/**
 * Decides on sleep and size in product time, which passes `timeScale` times faster than the clock. Both ends of
 * every span are scaled, so that stored times stay comparable after a restart.
 */
export function createAutomatic({
  store,
  clock,
  wake,
  activity,
  timeScale,
}: {
  store: Store
  clock: Clock
  wake(kind: 'service', id: string): void
  activity(serviceId: string): Pick<EndpointActivity, 'inFlight' | 'background' | 'lastQueryEndedAtMs'>
  timeScale: number
}): Automatic {
  const context = { store, clock, wake }
  const histories = new Map<string, UsageHistory>()
  const failures = new Map<string, Map<string, { startedAtMs: number; count: number }>>()
  const product = (ms: number) => ms * timeScale
  const sampleMs = Math.max(shortestSampleMs, Math.min(longestSampleMs, longestSampleMs / timeScale))
  /** When this control plane first saw the service up: its own restart must not count as idle time. */
  const seenSince = new Map<string, number>()
  const sampledAt = new Map<string, number>()

  return {
    async consider(service, observed) {
      const nowMs = clock.now()
      if (!seenSince.has(service.id)) seenSince.set(service.id, nowMs)
      const idle = judgeIdle(service, observed, nowMs)
      if (idle.idle) {
        await sleepService(context, service, idle.reason)
        return { againAfterMs: sampleMs }
      }
      await judgeSize(service, observed, nowMs)
      return { againAfterMs: Math.max(50, Math.min(sampleMs, idle.lookAgainInMs / timeScale)) }
    },
    forget(serviceId) {
      histories.delete(serviceId)
      failures.delete(serviceId)
      seenSince.delete(serviceId)
      sampledAt.delete(serviceId)
    },
  }

  function judgeIdle({ id, spec, status }: ServiceRecord, observed: EngineObservation, nowMs: number) {
    const { inFlight, background, lastQueryEndedAtMs } = activity(id)
    return decideIdle({
      ...spec,
      lastUserQueryAtMs: lastQueryEndedAtMs === null ? null : product(lastQueryEndedAtMs),
      startedAtMs: product(Math.max(status.sinceMs, seenSince.get(id) ?? nowMs)),
      inFlight,
      busy: { ...observed.busy, restores: 0, background },
      parts: observed.storage.parts,
      readOnly: spec.isReadonly,
      nowMs: product(nowMs),
    })
  }

  async function judgeSize(service: ServiceRecord, observed: EngineObservation, nowMs: number) {
    const { id, spec } = service
    if (spec.tier === 'development') return
    const sample = largestUsage(observed.replicas.map((replica) => sampleOf(id, replica)))
    const before = histories.get(id) ?? (await store.services.usageHistory(id))
    const lastMs = sampledAt.get(id) ?? nowMs
    sampledAt.set(id, nowMs)
    // Fills every bucket between two samples, however fast product time passes.
    const history = recordUsage(
      before,
      sample,
      product(nowMs),
      product(nowMs - lastMs > toldMs ? nowMs : lastMs),
    )
    histories.set(id, history)
    // Saved when a bucket is full: a crash loses at most five minutes, and never an out-of-memory failure.
    const turned = before.buckets.at(-1)?.startMs !== history.buckets.at(-1)?.startMs
    if (turned || sample.outOfMemory > 0) await store.services.saveUsageHistory(id, history)
    const automatic = automaticOf(spec)
    const { action, targetGb, reason } = recommendMemory({
      history,
      current: { replicaMemoryGb: wantedMemoryGb(spec), sinceMs: product(automatic.atMs) },
      bounds: spec,
      nowMs: product(nowMs),
    })
    if (action !== 'keep') await resizeService(context, service, targetGb, reason)
  }

  /** A replica counts failures since it started; the sample holds those since the previous sample. */
  function sampleOf(
    serviceId: string,
    { id, startedAtMs, memoryBytes, usage }: ReplicaObservation,
  ): UsageSample {
    const known = failures.get(serviceId) ?? new Map<string, { startedAtMs: number; count: number }>()
    failures.set(serviceId, known)
    const last = known.get(id)
    const before = last?.startedAtMs === startedAtMs ? last.count : 0
    const outOfMemory = Math.max(0, usage.outOfMemory - before)
    known.set(id, { startedAtMs, count: usage.outOfMemory })
    return {
      queryBytes: usage.peakQueryBytes,
      residentBytes: usage.peakResidentBytes,
      outOfMemory,
      outOfMemoryBytes: outOfMemory > 0 ? memoryBytes : 0,
      crashResidentBytes: 0,
    }
  }
}

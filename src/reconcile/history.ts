/**
 * Records the past of what runs here. The loops hand over what they observe anyway, so nothing is asked twice and
 * whatever sleeps costs nothing. Once a minute the points of all that ran are written in one transaction; every fifth
 * minute the stored minutes become one point of five. A crash loses the running minute.
 */
import {
  mergeOrganizationPoints,
  mergePipePoints,
  mergeServicePoints,
  type OrganizationPoint,
  type PipePoint,
  type ServicePoint,
  sumServicePoints,
} from '../domain/history/points.ts'
import type { PipeRunStatus } from '../domain/pipe/run-status.ts'
import type { ServiceRecord } from '../domain/service/types.ts'
import type { EngineObservation } from '../engine/engine.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/running.ts'
import type { HistoryKind, HistoryPoints, PipeRecord, Repositories, Store } from '../store/store.ts'

export interface HistoryRecorder {
  service(service: Pick<ServiceRecord, 'id' | 'organizationId'>, observed: EngineObservation): void
  pipe(pipe: Pick<PipeRecord, 'id' | 'organizationId'>): void
  runningPipes(): { id: string; organizationId: string; status: PipeRunStatus }[]
  /** Writes points until the signal aborts. */
  run(signal: AbortSignal): Promise<void>
}

export interface HistoryParts {
  store: Store
  clock: Clock
  log: Log
  /** Names the sums of this data plane. */
  dataPlaneId: string
  pipeStatus(pipeId: string): PipeRunStatus | null
}

const minuteMs = 60_000
const longStepMs = 5 * minuteMs

type Counters = { startedAtMs: number; queries: number; rowsRead: number; rowsWritten: number }
type Named = { id: string; organizationId: string }

export function createHistoryRecorder(parts: HistoryParts): HistoryRecorder {
  const { store, clock, log, dataPlaneId, pipeStatus } = parts
  const bornMs = clock.now()
  /** By service and replica. */
  const counters = new Map<string, Map<string, Counters>>()
  let services = new Map<string, { of: Named; point: ServicePoint }>()
  const pipes = new Map<string, { of: Named; last: PipeRunStatus | null }>()
  /** What has minutes that are not yet part of a point of five. */
  const open = new Map<string, { kind: HistoryKind; of: Named }>()

  return {
    service({ id, organizationId }, observed) {
      if (observed.replicas.length === 0) {
        counters.delete(id)
        return
      }
      const before = services.get(id)?.point
      const now = sample(id, observed)
      services.set(id, {
        of: { id, organizationId },
        point: before ? mergeServicePoints([before, now]) : now,
      })
    },
    pipe({ id, organizationId }) {
      if (!pipes.has(id) && pipeStatus(id)) pipes.set(id, { of: { id, organizationId }, last: null })
    },
    runningPipes: () =>
      [...pipes.values()].flatMap(({ of }) => {
        const status = pipeStatus(of.id)
        return status ? [{ ...of, status }] : []
      }),
    async run(signal) {
      while (!signal.aborted) {
        const nowMs = clock.now()
        const endMs = (Math.floor(nowMs / minuteMs) + 1) * minuteMs
        await clock.sleep(endMs - nowMs, signal)
        if (signal.aborted || clock.now() < endMs) continue
        await write(endMs - minuteMs).catch((error: unknown) =>
          log.warn({ err: error }, 'a minute of history could not be written'),
        )
      }
    },
  }

  function sample(serviceId: string, { replicas, storage }: EngineObservation): ServicePoint {
    const known = counters.get(serviceId) ?? new Map<string, Counters>()
    counters.set(serviceId, known)
    const point: ServicePoint = {
      ...{ memory: {}, memoryLimit: 0, queries: 0, rowsRead: 0, rowsWritten: 0 },
      storedBytes: storage.usedBytes,
    }
    for (const { id, startedAtMs, memoryBytes, usage } of replicas) {
      const { residentBytes, queries, rowsRead, rowsWritten } = usage
      const now: Counters = { startedAtMs, queries, rowsRead, rowsWritten }
      const last = known.get(id)
      // The counters of a replica that ran before this process are of a time that is not known.
      const base = last?.startedAtMs === startedAtMs ? last : startedAtMs >= bornMs ? null : now
      known.set(id, now)
      point.memory[id] = residentBytes
      point.memoryLimit = Math.max(point.memoryLimit, memoryBytes)
      point.queries += Math.max(0, queries - (base?.queries ?? 0))
      point.rowsRead += Math.max(0, rowsRead - (base?.rowsRead ?? 0))
      point.rowsWritten += Math.max(0, rowsWritten - (base?.rowsWritten ?? 0))
    }
    return point
  }

  async function write(startMs: number): Promise<void> {
    const ran = [...services.values()]
    services = new Map()
    const read = [...pipes.values()].flatMap(({ of }) => {
      const point = pipePoint(of)
      return point ? [{ of, point }] : []
    })
    const sums = sumsOf(ran)
    const isLast = (startMs + minuteMs) % longStepMs === 0
    if (ran.length + read.length + (isLast ? open.size : 0) === 0) return
    await store.transaction(async (tx) => {
      for (const { of, point } of ran) await put(tx, 'service', of, startMs, point)
      for (const { of, point } of read) await put(tx, 'pipe', of, startMs, point)
      for (const { of, point } of sums) await put(tx, 'organization', of, startMs, point)
      if (isLast) for (const { kind, of } of open.values()) await join(tx, kind, of, startMs)
    })
    if (isLast) open.clear()
  }

  async function put<Kind extends HistoryKind>(
    tx: Repositories,
    kind: Kind,
    of: Named,
    startMs: number,
    point: HistoryPoints[Kind],
  ): Promise<void> {
    open.set(`${kind} ${of.id}`, { kind, of })
    await tx.history.write({ kind, ...of, step: 60, startMs, point })
  }

  /** The minutes that are stored become one point. */
  async function join(tx: Repositories, kind: HistoryKind, of: Named, lastMs: number): Promise<void> {
    const startMs = lastMs + minuteMs - longStepMs
    const minutes = (await tx.history.read(kind, of.id, 60, startMs)).map(({ point }) => point)
    const point =
      kind === 'service'
        ? mergeServicePoints(minutes as ServicePoint[])
        : kind === 'pipe'
          ? mergePipePoints(minutes as PipePoint[])
          : mergeOrganizationPoints(minutes as OrganizationPoint[])
    await tx.history.write({ kind, ...of, step: 300, startMs, point })
  }

  function pipePoint({ id, organizationId }: Named): PipePoint | null {
    const now = pipeStatus(id)
    const last = pipes.get(id)?.last
    if (!now) {
      pipes.delete(id)
      return null
    }
    pipes.set(id, { of: { id, organizationId }, last: now })
    if (!last) return null
    const { lag } = now
    const recordsWritten = Math.max(0, now.rows - last.rows)
    const rejected = Math.max(0, now.rejected - last.rejected)
    return {
      ...{ recordsIn: recordsWritten + rejected, recordsWritten, rejected },
      bytesIn: Math.max(0, now.bytes - last.bytes),
      behindRecords: lag.records,
      behindSeconds: lag.ms === null ? null : Math.round(lag.ms / 1000),
    }
  }

  function sumsOf(ran: readonly { of: Named; point: ServicePoint }[]) {
    const byOrganization = Map.groupBy(ran, ({ of }) => of.organizationId)
    return [...byOrganization].map(([organizationId, of]) => ({
      of: { id: `${organizationId} ${dataPlaneId}`, organizationId },
      point: sumServicePoints(of.map(({ point }) => point)),
    }))
  }
}

import type { Activity, ActivityType } from '../domain/activity/types.ts'
import { type HistoryRange, stepsOf } from '../domain/history/points.ts'
import type { ServiceRecord } from '../domain/service/types.ts'
import type { StoredPoint } from '../store/store.ts'
import { type Caller, type ControlContext, loadOrganization, loadService } from './context.ts'
import { loadPipe, type PipeRef } from './pipes.ts'

/** The past of a service: one value for each step, null or 0 where nothing ran. */
export async function serviceHistory(
  { store, clock }: ControlContext,
  caller: Caller,
  serviceId: string,
  range: HistoryRange,
) {
  const service = await loadService(store, caller, serviceId)
  const { axis, step, fromMs, align } = layOut(range, clock.now())
  const points = align(await store.history.read('service', serviceId, step, fromMs))
  const names = [...new Set(points.flatMap((point) => Object.keys(point?.memory ?? {})))].sort()
  const activities = await store.activities.list(service.organizationId, {
    ...{ serviceId, types: [...scalings, 'service_state'], fromMs, limit: 1_000 },
  })
  return {
    ...axis,
    replicas: names.map((name) => ({
      name,
      memoryBytes: points.map((point) => point?.memory[name] ?? null),
    })),
    memoryLimitBytes: points.map((point) => point?.memoryLimit ?? null),
    storedBytes: points.map((point) => point?.storedBytes ?? null),
    queries: points.map((point) => point?.queries ?? 0),
    rowsRead: points.map((point) => point?.rowsRead ?? 0),
    rowsWritten: points.map((point) => point?.rowsWritten ?? 0),
    asleep: asleepOf(service, activities, axis),
    changes: activities
      .filter(({ type }) => scalings.includes(type))
      .map(({ createdAtMs, type, reason }) => ({ at: iso(createdAtMs), kind: type, reason }))
      .reverse(),
  }
}

export async function pipeHistory(
  { store, clock }: ControlContext,
  caller: Caller,
  ref: PipeRef,
  range: HistoryRange,
) {
  await loadPipe(store, caller, ref)
  const { axis, step, fromMs, align } = layOut(range, clock.now())
  const points = align(await store.history.read('pipe', ref.pipeId, step, fromMs))
  return {
    ...axis,
    recordsIn: points.map((point) => point?.recordsIn ?? 0),
    recordsWritten: points.map((point) => point?.recordsWritten ?? 0),
    bytesIn: points.map((point) => point?.bytesIn ?? 0),
    behindRecords: points.map((point) => point?.behindRecords ?? null),
    behindSeconds: points.map((point) => point?.behindSeconds ?? null),
    rejected: points.map((point) => point?.rejected ?? 0),
  }
}

/** The sums over all services; those of several data planes are added. */
export async function organizationHistory(
  { store, clock }: ControlContext,
  caller: Caller,
  range: HistoryRange,
) {
  const { id } = await loadOrganization(store, caller)
  const { axis, step, fromMs, indexOf } = layOut(range, clock.now())
  const zeros = () => axis.times.map(() => 0)
  const sums = {
    ...{ memoryBytes: zeros(), memoryLimitBytes: zeros(), queries: zeros() },
    ...{ rowsWritten: zeros(), storedBytes: zeros() },
  }
  for (const { startMs, point } of await store.history.readOrganization(id, step, fromMs)) {
    const index = indexOf(startMs)
    for (const [name, values] of Object.entries(sums) as [keyof typeof sums, number[]][])
      if (index in values) values[index] = (values[index] ?? 0) + point[name]
  }
  return { ...axis, ...sums }
}

function layOut(range: HistoryRange, nowMs: number) {
  const { stepMs, timesMs } = stepsOf(range, nowMs)
  const fromMs = timesMs[0] ?? nowMs
  const toMs = fromMs + timesMs.length * stepMs
  const indexOf = (startMs: number) => (startMs - fromMs) / stepMs
  return {
    ...{ fromMs, indexOf },
    step: stepMs === 60_000 ? (60 as const) : (300 as const),
    axis: { from: iso(fromMs), to: iso(toMs), stepSeconds: stepMs / 1000, times: timesMs.map(iso) },
    /** Undefined where a step has no point. */
    align<T>(points: readonly StoredPoint<T>[]): (T | undefined)[] {
      const values: (T | undefined)[] = timesMs.map(() => undefined)
      for (const { startMs, point } of points)
        if (indexOf(startMs) in values) values[indexOf(startMs)] = point
      return values
    },
  }
}

const scalings: ActivityType[] = [
  'service_autoscaled',
  'service_update_autoscaling_memory',
  'service_update_autoscaling_replicas',
]

/** From the states that the trail shows; a service that did not change its state was in the one it is in now. */
function asleepOf(
  { status }: ServiceRecord,
  newestFirst: readonly Activity[],
  { from, to }: { from: string; to: string },
): { from: string; to: string }[] {
  const changes = newestFirst.filter(({ type }) => type === 'service_state').reverse()
  const first = changes[0] ? changes[0].before['state'] : status.state
  const spans: { from: string; to: string }[] = []
  let since = first === 'idle' ? from : null
  for (const { createdAtMs, after } of changes) {
    const at = iso(createdAtMs)
    if (since !== null && after['state'] !== 'idle') spans.push({ from: since, to: at })
    since = after['state'] === 'idle' ? (since ?? at) : null
  }
  if (since !== null) spans.push({ from: since, to: since > to ? since : to })
  return spans
}

const iso = (ms: number): string => new Date(ms).toISOString()

/**
 * What is kept about the past of services and pipes: one point for each minute in which something ran, for an hour,
 * and one for each five minutes, for thirty hours. Time without a point is time in which nothing ran here.
 */
export const historySteps = [60, 300] as const
export type HistoryStep = (typeof historySteps)[number]
/** In seconds, by step; a point that is older is removed. */
export const historyKept: Record<HistoryStep, number> = { 60: 3_600 + 300, 300: 30 * 3_600 + 300 }

export const historyRanges = {
  '1h': { seconds: 3_600, step: 60 },
  '24h': { seconds: 24 * 3_600, step: 300 },
  '30h': { seconds: 30 * 3_600, step: 300 },
} as const satisfies Record<string, { seconds: number; step: HistoryStep }>
export type HistoryRange = keyof typeof historyRanges

/** Counts are of the step alone. */
export interface ServicePoint {
  /** The most that each replica held. */
  memory: Record<string, number>
  /** Of each replica. */
  memoryLimit: number
  queries: number
  rowsRead: number
  rowsWritten: number
  storedBytes: number
}

export interface PipePoint {
  recordsIn: number
  recordsWritten: number
  bytesIn: number
  rejected: number
  /** At the end of the step; null = the source does not tell. */
  behindRecords: number | null
  behindSeconds: number | null
}

/** The sums over the services of an organization that one data plane holds. */
export interface OrganizationPoint {
  memoryBytes: number
  memoryLimitBytes: number
  queries: number
  rowsWritten: number
  storedBytes: number
}

export function mergeServicePoints(points: readonly ServicePoint[]): ServicePoint {
  const memory: Record<string, number> = {}
  for (const point of points)
    for (const [name, bytes] of Object.entries(point.memory))
      memory[name] = Math.max(memory[name] ?? 0, bytes)
  return {
    memory,
    memoryLimit: points.at(-1)?.memoryLimit ?? 0,
    queries: sum(points, ({ queries }) => queries),
    rowsRead: sum(points, ({ rowsRead }) => rowsRead),
    rowsWritten: sum(points, ({ rowsWritten }) => rowsWritten),
    storedBytes: points.at(-1)?.storedBytes ?? 0,
  }
}

export function mergePipePoints(points: readonly PipePoint[]): PipePoint {
  const last = points.at(-1)
  return {
    recordsIn: sum(points, ({ recordsIn }) => recordsIn),
    recordsWritten: sum(points, ({ recordsWritten }) => recordsWritten),
    bytesIn: sum(points, ({ bytesIn }) => bytesIn),
    rejected: sum(points, ({ rejected }) => rejected),
    behindRecords: last?.behindRecords ?? null,
    behindSeconds: last?.behindSeconds ?? null,
  }
}

/** Of the services of one organization in one step. */
export function sumServicePoints(points: readonly ServicePoint[]): OrganizationPoint {
  return {
    memoryBytes: sum(points, ({ memory }) => sum(Object.values(memory), (bytes) => bytes)),
    memoryLimitBytes: sum(points, (point) => point.memoryLimit * Object.keys(point.memory).length),
    queries: sum(points, ({ queries }) => queries),
    rowsWritten: sum(points, ({ rowsWritten }) => rowsWritten),
    storedBytes: sum(points, ({ storedBytes }) => storedBytes),
  }
}

/** Memory and storage are those of the fullest minute; counts add up. */
export function mergeOrganizationPoints(points: readonly OrganizationPoint[]): OrganizationPoint {
  const largest = (read: (point: OrganizationPoint) => number) => Math.max(0, ...points.map(read))
  return {
    memoryBytes: largest(({ memoryBytes }) => memoryBytes),
    memoryLimitBytes: largest(({ memoryLimitBytes }) => memoryLimitBytes),
    queries: sum(points, ({ queries }) => queries),
    rowsWritten: sum(points, ({ rowsWritten }) => rowsWritten),
    storedBytes: largest(({ storedBytes }) => storedBytes),
  }
}

const sum = <T>(items: readonly T[], read: (item: T) => number): number =>
  items.reduce((total, item) => total + read(item), 0)

/** The start of each step of a range that has ended by now, oldest first. */
export function stepsOf(range: HistoryRange, nowMs: number): { stepMs: number; timesMs: number[] } {
  const { seconds, step } = historyRanges[range]
  const stepMs = step * 1000
  const toMs = Math.floor(nowMs / stepMs) * stepMs
  const count = seconds / step
  return { stepMs, timesMs: Array.from({ length: count }, (_, index) => toMs - (count - index) * stepMs) }
}

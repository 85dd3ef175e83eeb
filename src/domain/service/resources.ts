/** What a service's replicas use now. It is read from the replicas, not from the store, and wakes nothing. */
export interface ServiceResources {
  replicas: ReplicaResources[]
  /** Active parts of the warehouse's tables, and their size on disk. */
  parts: number
  storedBytes: number
}

export interface ReplicaResources {
  id: string
  role: 'writer' | 'reader' | 'peer'
  serving: boolean
  uptimeSeconds: number
  restarts: number
  memoryLimitBytes: number
  memoryBytes: number
  cpuSeconds: number
  runningQueries: number
  queries: number
  failedQueries: number
  rowsRead: number
  bytesRead: number
  rowsWritten: number
  bytesWritten: number
}

export const noResources: ServiceResources = { replicas: [], parts: 0, storedBytes: 0 }

/** The parts of an engine's observation that are shown. */
interface Observed {
  storage: { parts: number; usedBytes: number }
  replicas: readonly {
    id: string
    role: 'writer' | 'reader' | 'peer'
    canRead: boolean
    startedAtMs: number
    restarts: number
    memoryBytes: number
    usage: Omit<
      ReplicaResources,
      'id' | 'role' | 'serving' | 'uptimeSeconds' | 'restarts' | 'memoryLimitBytes' | 'memoryBytes'
    > & { residentBytes: number }
  }[]
}

export function viewResources({ storage, replicas }: Observed, nowMs: number): ServiceResources {
  return {
    parts: storage.parts,
    storedBytes: storage.usedBytes,
    replicas: replicas.map(({ id, role, canRead, startedAtMs, restarts, memoryBytes, usage }) => ({
      id,
      role,
      serving: canRead,
      uptimeSeconds: canRead ? Math.max(0, Math.round((nowMs - startedAtMs) / 1000)) : 0,
      restarts,
      memoryLimitBytes: memoryBytes,
      memoryBytes: usage.residentBytes,
      cpuSeconds: usage.cpuSeconds,
      runningQueries: usage.runningQueries,
      queries: usage.queries,
      failedQueries: usage.failedQueries,
      rowsRead: usage.rowsRead,
      bytesRead: usage.bytesRead,
      rowsWritten: usage.rowsWritten,
      bytesWritten: usage.bytesWritten,
    })),
  }
}

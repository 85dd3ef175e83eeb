import type { EngineObservation } from '../../../engine.ts'
import type { ReplicaSpec, ReplicaStatus } from '../../protocol.ts'
import type { RunningStatements } from '../statement/running.ts'
import type { Health } from './health.ts'
import type { Usage } from './usage.ts'

export interface StatusReport {
  /** Returns the last known status at once, and starts a refresh. */
  read(): ReplicaStatus
  /** How often `read` was called. */
  readonly asked: number
}

/** Counting many parts takes longer than the other queries. */
const partsEveryMs = 10_000
/** The queries cost too, so an idle replica runs them less often. */
const quietEveryMs = 15_000

export function createStatusReport({
  spec,
  version,
  isolation,
  egressMissing,
  usage,
  statements,
  run,
  health,
  isDraining,
  catalogError,
  seesUntilMs,
}: {
  spec: ReplicaSpec
  version: string
  isolation: string
  egressMissing: string
  usage: Usage
  statements: RunningStatements
  run: (sql: string) => Promise<string>
  health: Health
  isDraining: () => boolean
  catalogError: () => string
  /** Undefined on a writer. */
  seesUntilMs: () => number | undefined
}): StatusReport {
  const startedAtMs = Date.now()
  let asked = 0
  let busy: Omit<EngineObservation['busy'], 'queries'> = { merges: 0, mutations: 0, backups: 0 }
  let storage: EngineObservation['storage'] = { parts: 0, usedBytes: 0 }
  let partsAtMs = Number.NEGATIVE_INFINITY
  let lookedAtMs = Number.NEGATIVE_INFINITY
  let queriesThen = -1
  let isLooking = false

  function isQuiet(): boolean {
    const { queries, runningQueries } = usage.snapshot(statements.size)
    const isIdle =
      runningQueries + busy.merges + busy.mutations + busy.backups === 0 && queries === queriesThen
    queriesThen = queries
    return isIdle && performance.now() - lookedAtMs < quietEveryMs
  }

  async function look(): Promise<void> {
    if (isQuiet()) return
    lookedAtMs = performance.now()
    const [merges, mutations, backups, peak, rows, bytes] = numbers(await run(activity))
    busy = { merges: merges ?? 0, mutations: mutations ?? 0, backups: backups ?? 0 }
    usage.sawQueryBytes(peak ?? 0)
    usage.sawWritten(rows ?? 0, bytes ?? 0)
    if (performance.now() - partsAtMs < partsEveryMs) return
    partsAtMs = performance.now()
    const [parts, usedBytes] = numbers(await run(partsQuery))
    storage = { parts: parts ?? 0, usedBytes: usedBytes ?? 0 }
  }

  function refresh(): void {
    // A query may fail on an engine that is busy or short of memory; the next refresh tries again.
    if (isLooking) return
    isLooking = true
    look()
      .catch(() => undefined)
      .finally(() => {
        isLooking = false
      })
  }

  return {
    read() {
      asked++
      refresh()
      health.look()
      const { replicaId, epoch, role } = spec
      return {
        ...{ replicaId, epoch, role, pid: process.pid, version, startedAtMs, draining: isDraining() },
        isolation,
        egressMissing,
        engineError: health.error(),
        catalogError: catalogError(),
        ...(role === 'reader' ? { seesUntilMs: seesUntilMs() ?? 0 } : {}),
        usage: usage.snapshot(statements.size),
        busy: { ...busy, queries: statements.size },
        storage,
      }
    },
    get asked() {
      return asked
    },
  }
}

const numbers = (line: string): number[] => line.trim().split('\t').map(Number)

const activity = `SELECT
  (SELECT count() FROM system.merges),
  (SELECT count() FROM system.mutations WHERE NOT is_done),
  (SELECT count() FROM system.backups WHERE status IN ('CREATING_BACKUP', 'RESTORING')),
  (SELECT max(peak_memory_usage) FROM system.processes WHERE query_id != queryID()),
  (SELECT sum(value) FROM system.events WHERE event = 'InsertedRows'),
  (SELECT sum(value) FROM system.events WHERE event = 'InsertedBytes')`

const partsQuery =
  "SELECT count(), sum(bytes_on_disk) FROM system.parts WHERE active AND database != 'system'"

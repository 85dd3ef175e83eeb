import { readFileSync } from 'node:fs'
import type { ReplicaUsage } from '../../engine.ts'
import type { EngineError } from './errors.ts'
import type { EngineResult } from './library.ts'

/** What this replica used and did since it started. */
export interface Usage {
  done(result: Pick<EngineResult, 'rowsRead' | 'bytesRead'>, isInsert: boolean): void
  failed(error: EngineError): void
  /** Of one query, as the engine told while it ran. */
  sawQueryBytes(bytes: number): void
  /** Counters of the engine: also those of INSERT … SELECT and of views. */
  sawWritten(rows: number, bytes: number): void
  snapshot(runningQueries: number): ReplicaUsage
}

export function createUsage(): Usage {
  let [queries, failedQueries, outOfMemory, rowsRead, bytesRead] = [0, 0, 0, 0, 0]
  let [rowsWritten, bytesWritten, peakQueryBytes, peakResidentBytes] = [0, 0, 0, 0]

  return {
    done(result, isInsert) {
      queries++
      // Of an insert these count what was inserted.
      if (isInsert) return
      rowsRead += result.rowsRead
      bytesRead += result.bytesRead
    },
    failed({ code }) {
      queries++
      failedQueries++
      if (code === 241) outOfMemory++
    },
    sawQueryBytes(bytes) {
      peakQueryBytes = Math.max(peakQueryBytes, bytes)
    },
    sawWritten(rows, bytes) {
      rowsWritten = rows
      bytesWritten = bytes
    },
    snapshot(runningQueries) {
      const residentBytes = readResidentBytes()
      peakResidentBytes = Math.max(peakResidentBytes, residentBytes, process.resourceUsage().maxRSS * 1024)
      const { user, system } = process.cpuUsage()
      return {
        ...{ residentBytes, peakQueryBytes, peakResidentBytes, cpuSeconds: (user + system) / 1e6 },
        ...{ runningQueries, queries, failedQueries, outOfMemory },
        ...{ rowsRead, bytesRead, rowsWritten, bytesWritten },
      }
    },
  }
}

/** Under emulation the ordinary way gives 0. */
function readResidentBytes(): number {
  const bytes = process.memoryUsage.rss()
  if (bytes > 0) return bytes
  try {
    const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
    return Number(kib ?? 0) * 1024
  } catch {
    return 0
  }
}

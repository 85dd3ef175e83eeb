import { readFileSync } from 'node:fs'
import type { ReplicaUsage } from '../../../engine.ts'
import type { EngineError } from '../../engine-error.ts'
import type { EngineResult } from '../engine/library.ts'
import { createRecentPeak } from './recent-peak.ts'

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

export function createUsage({
  memoryBytes,
  nowMs,
  readMemory = readOwnMemory,
}: {
  /** The limit of the replica. */
  memoryBytes: number
  nowMs?: () => number
  readMemory?: () => ProcessMemory
}): Usage {
  let [queries, failedQueries, outOfMemory, rowsRead, bytesRead] = [0, 0, 0, 0, 0]
  let [rowsWritten, bytesWritten, largestThen] = [0, 0, 0]
  const queryBytes = createRecentPeak(nowMs)
  const peakBytes = createRecentPeak(nowMs)

  return {
    done(result, isInsert) {
      queries++
      // Of an insert these count what was inserted.
      if (isInsert) return
      rowsRead += result.rowsRead
      bytesRead += result.bytesRead
    },
    failed({ code, message }) {
      queries++
      failedQueries++
      // A query may have a smaller limit of its own.
      if (code === 241 && message.includes('(total)')) outOfMemory++
    },
    sawQueryBytes(bytes) {
      // The engine counts what a query asks for before it refuses it.
      queryBytes.saw(Math.min(bytes, memoryBytes))
    },
    sawWritten(rows, bytes) {
      rowsWritten = rows
      bytesWritten = bytes
    },
    snapshot(runningQueries) {
      const { residentBytes, largestBytes } = readMemory()
      // The largest of all time tells of what was held between two looks only when it has grown.
      peakBytes.saw(largestBytes > largestThen ? largestBytes : residentBytes)
      largestThen = largestBytes
      const { user, system } = process.cpuUsage()
      return {
        ...{ residentBytes, peakQueryBytes: queryBytes.value(), peakResidentBytes: peakBytes.value() },
        ...{ cpuSeconds: (user + system) / 1e6 },
        ...{ runningQueries, queries, failedQueries, outOfMemory },
        ...{ rowsRead, bytesRead, rowsWritten, bytesWritten },
      }
    },
  }
}

interface ProcessMemory {
  residentBytes: number
  /** Since the process began. */
  largestBytes: number
}

const readOwnMemory = (): ProcessMemory => ({
  residentBytes: readResidentBytes(),
  largestBytes: process.resourceUsage().maxRSS * 1024,
})

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

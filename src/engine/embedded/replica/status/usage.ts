import { readFileSync } from 'node:fs'
import type { ReplicaUsage } from '../../../engine.ts'
import type { EngineError } from '../../engine-error.ts'
import type { EngineResult } from '../engine/library.ts'
import { createRecentPeak } from './recent-peak.ts'

/** The replica's resource usage and counters since it started. */
export interface Usage {
  done(result: Pick<EngineResult, 'rowsRead' | 'bytesRead'>, isInsert: boolean): void
  failed(error: EngineError): void
  /** Peak memory of one query, as the engine reported it while the query ran. */
  sawQueryBytes(bytes: number): void
  /** The engine's counters, which include INSERT … SELECT and views. */
  sawWritten(rows: number, bytes: number): void
  snapshot(runningQueries: number): ReplicaUsage
}

export function createUsage({
  memoryBytes,
  nowMs,
  readMemory = readOwnMemory,
}: {
  /** The replica's memory limit. */
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
      // For an insert these counters count what was inserted.
      if (isInsert) return
      rowsRead += result.rowsRead
      bytesRead += result.bytesRead
    },
    failed({ code, message }) {
      queries++
      failedQueries++
      // Without `(total)` the query exceeded a smaller limit of its own.
      if (code === 241 && message.includes('(total)')) outOfMemory++
    },
    sawQueryBytes(bytes) {
      // The engine counts an allocation before it refuses it, so the peak may exceed the limit.
      queryBytes.saw(Math.min(bytes, memoryBytes))
    },
    sawWritten(rows, bytes) {
      rowsWritten = rows
      bytesWritten = bytes
    },
    snapshot(runningQueries) {
      const { residentBytes, largestBytes } = readMemory()
      // The all-time peak covers the time since the last snapshot only if it has grown since.
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
  /** The peak since the process started. */
  largestBytes: number
}

const readOwnMemory = (): ProcessMemory => ({
  residentBytes: readResidentBytes(),
  largestBytes: process.resourceUsage().maxRSS * 1024,
})

/** Under emulation `process.memoryUsage.rss()` returns 0. */
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

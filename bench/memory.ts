import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

export interface MemoryWatch {
  /** By how many MiB each process was larger, at its peak, than when watching began. */
  stop(): number[]
}

const hasProc = existsSync('/proc/self/status')

/** Samples the resident memory of other processes many times a second. */
export function watchMemory(pids: readonly number[]): MemoryWatch {
  const before = pids.map(residentMib)
  const peak = [...before]
  const look = () => {
    for (const [index, pid] of pids.entries()) peak[index] = Math.max(peak[index] ?? 0, residentMib(pid))
  }
  // Without /proc each sample starts a process, so samples are rarer: their own load must not be measured.
  const timer = setInterval(look, hasProc ? 20 : 500)
  return {
    stop() {
      clearInterval(timer)
      look()
      return peak.map((mib, index) => mib - (before[index] ?? 0))
    },
  }
}

/** 0 = the process is gone; requests to it fail and report that. */
function residentMib(pid: number): number {
  try {
    const kib = hasProc
      ? /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
      : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })
    return Number(kib ?? 0) / 1024
  } catch {
    return 0
  }
}

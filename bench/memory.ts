import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

export interface MemoryWatch {
  /** By how much each was larger, at its largest, than when watching began. */
  stop(): number[]
}

const hasProc = existsSync('/proc/self/status')

/** Looks at the resident memory of other processes many times a second. */
export function watchMemory(pids: readonly number[]): MemoryWatch {
  const before = pids.map(residentMib)
  const peak = [...before]
  const look = () => {
    for (const [index, pid] of pids.entries()) peak[index] = Math.max(peak[index] ?? 0, residentMib(pid))
  }
  // Where it takes a process to find out, not so often that this is what is measured.
  const timer = setInterval(look, hasProc ? 20 : 500)
  return {
    stop() {
      clearInterval(timer)
      look()
      return peak.map((mib, index) => mib - (before[index] ?? 0))
    },
  }
}

/** 0 = it is gone; what was asked of it will tell. */
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

import { readdirSync, readFileSync } from 'node:fs'

/** User and system time of these processes, in seconds. */
export const cpuSeconds = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + ticks(statOf(pid), own) / 100, 0)

/** The same for a process, its children, and those of its children that have ended. */
export function treeCpuSeconds(pid: number): number {
  const children = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && statOf(Number(name))[fields.parent] === String(pid),
  )
  return ticks(statOf(pid), [...own, ...reaped]) / 100 + cpuSeconds(children.map(Number))
}

export const parentOf = (pid: number): number => Number(statOf(pid)[fields.parent])

/** Places in /proc/<pid>/stat after the name of the command. */
const fields = { parent: 1, user: 11, system: 12, reapedUser: 13, reapedSystem: 14 }
const own = [fields.user, fields.system]
const reaped = [fields.reapedUser, fields.reapedSystem]

const ticks = (stat: readonly string[], places: readonly number[]): number =>
  places.reduce((sum, place) => sum + Number(stat[place] ?? 0), 0)

/** Empty for a process that has ended. */
function statOf(pid: number): string[] {
  try {
    return (readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1] ?? '').split(' ')
  } catch {
    return []
  }
}

import { hostname } from 'node:os'
import { newId } from '../lib/ids.ts'

/** The name under which this start of this process holds leases: `<host>:<pid>:<unique>`. */
export const nameOwner = (): string => `${hostname()}:${process.pid}:${newId()}`

/** Whether an owner of leases ran on this machine and has ended; about other machines nothing is known. */
export function isDeadOwner(candidate: string, self: string): boolean {
  const [host, pid, start] = candidate.split(':')
  const [ownHost, ownPid, ownStart] = self.split(':')
  if (host !== ownHost || start === ownStart) return false
  if (pid === ownPid) return true
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

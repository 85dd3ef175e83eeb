import { mkdirSync } from 'node:fs'
import type { Log } from '../../lib/running.ts'
import { confine, type Policy, supportText, threadNames } from '../confine/confine.ts'
import type { Isolation } from '../confine/isolation.ts'

/**
 * Confines this process before any thread runs that could act for users. Creates the directories that the
 * process may write to. Returns the confinement for the worker's status: `landlock 7`, `none: <why>` or
 * `off`. Throws where confinement is required and not available.
 */
export function confineWorker(policy: Policy, isolation: Isolation, log: Log): string {
  if (isolation === 'off') return 'off'
  for (const path of policy.write) mkdirSync(path, { recursive: true, mode: 0o700 })
  const older = process.platform === 'linux' ? [...new Set(threadNames())].sort() : []
  const confinedBy = attempt(policy)
  if (!confinedBy.startsWith('none')) {
    log.info({ isolation: confinedBy, older }, 'confined, with all threads but those that are older')
    return confinedBy
  }
  if (isolation === 'required') throw new Error(`isolation is required, but there is ${confinedBy}`)
  log.warn({ isolation: confinedBy }, 'the process is not confined')
  return confinedBy
}

function attempt(policy: Policy): string {
  try {
    return supportText(confine(policy))
  } catch (error) {
    return `none: ${(error as Error).message}`
  }
}

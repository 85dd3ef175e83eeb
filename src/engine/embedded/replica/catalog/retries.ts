import type { Log } from '../../../../lib/running.ts'

/** Failed attempts: when each is retried, and when it is worth reporting. Counts rounds, not time. */
export interface Retries {
  nextRound(isForced: boolean): void
  /** Whether `name` is due: always on its first attempt, and whenever `what` (its text) has changed. */
  mayTry(name: string, what: string): boolean
  failed(name: string, what: string, error: unknown, detail?: 'secret'): void
  done(name: string): void
  isEmpty(): boolean
  /** Forgets all other failures. */
  keepOnly(isKept: (name: string) => boolean): void
  /** Names what has failed for `toldAfter` attempts; '' = nothing. */
  error(): string
}

/** Early failures are not reported: the object may be half created, or need one that comes later in the same round. */
const toldAfter = 3
const maxRoundsBetween = 64
const namedAtMost = 3

export function createRetries(log: Log): Retries {
  const failures = new Map<string, { what: string; attempts: number; nextRound: number; message: string }>()
  let round = 0
  let isForced = false

  return {
    nextRound(forced) {
      round += 1
      isForced = forced
    },
    mayTry(name, what) {
      const failure = failures.get(name)
      return !failure || isForced || failure.what !== what || round >= failure.nextRound
    },
    failed(name, what, error, detail) {
      const earlier = failures.get(name)
      const attempts = earlier?.what === what ? earlier.attempts + 1 : 1
      const message = tell(error, detail === 'secret')
      const nextRound = round + Math.min(maxRoundsBetween, 2 ** (attempts - 1))
      failures.set(name, { what, attempts, nextRound, message })
      if (attempts === toldAfter) log.warn({ object: name, reason: message }, 'reader cannot follow')
    },
    done(name) {
      const failure = failures.get(name)
      if (!failure) return
      failures.delete(name)
      if (failure.attempts >= toldAfter) log.info({ object: name }, 'reader follows again')
    },
    isEmpty: () => failures.size === 0,
    keepOnly(isKept) {
      for (const name of failures.keys()) if (!isKept(name)) failures.delete(name)
    },
    error() {
      const told = [...failures].filter(([, { attempts }]) => attempts >= toldAfter)
      if (told.length === 0) return ''
      const named = told.slice(0, namedAtMost).map(([name, { message }]) => `${name}: ${message}`)
      const others = told.length - named.length
      return `cannot follow ${named.join('; ')}${others > 0 ? `; and ${others} more` : ''}`
    },
  }
}

const maxMessageLength = 300

/** Leaves out the statement that the engine quotes after a syntax error: definitions can contain passwords. */
function tell(error: unknown, isSecret: boolean): string {
  const message = error instanceof Error ? error.message : String(error)
  const [, head] = /(Code: \d+)\./.exec(message) ?? []
  if (head && (isSecret || head === 'Code: 62')) {
    const [name = ''] = /\([A-Z_]+\)/.exec(message) ?? []
    return `${head} ${name}`.trim()
  }
  return message.length > maxMessageLength ? `${message.slice(0, maxMessageLength)}…` : message
}

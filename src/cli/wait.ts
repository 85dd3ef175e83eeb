import { refusedError } from './failure.ts'

import type { Output } from './output.ts'
import { isMissing, type Session } from './session.ts'
import type { Service } from './show/service.ts'
import { duration } from './units.ts'

export interface Watch<T> {
  /** The resource in messages: `service analytics`. */
  what: string
  first: T
  /** Reads the resource again; null when it is gone. */
  read(): Promise<T | null>
  /** The state for progress messages: reported whenever it changes. */
  describe(value: T): string
  /** Fine-grained progress: replaced in place on a terminal, elsewhere reported every 10 percent. */
  detail?(value: T): Detail | null
  /** Done, pending, or why it will never be done. */
  judge(value: T | null): 'done' | 'pending' | { failed: string }
  timeoutMs: number
}

export interface Detail {
  percent: number
  text: string
}

/** The last value that was read, and what went wrong. The caller shows the value, then throws the error. */
export interface Watched<T> {
  last: T | null
  error?: unknown
}

const firstPauseMs = 500
const longestPauseMs = 2_000

/**
 * Reads until the task is done. Never throws: the caller must show what it already has, such as a password,
 * however the wait ends.
 */
export async function watch<T>({ output, io, signal }: Session, task: Watch<T>): Promise<Watched<T>> {
  const startedMs = io.clock.now()
  let last: T | null = task.first
  let seen = ''
  const tell = createTeller(output, task)
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 1.3)) {
    const elapsedMs = io.clock.now() - startedMs
    if (last !== null) seen = tell(last, elapsedMs)
    const verdict = task.judge(last)
    if (verdict === 'done') return { last }
    if (verdict !== 'pending')
      return { last, error: refusedError('NOT_REACHED', `${task.what} ${verdict.failed}`) }
    if (elapsedMs >= task.timeoutMs) {
      const message = `${task.what} did not settle within ${duration(task.timeoutMs)}; it is ${seen}`
      return { last, error: refusedError('WAIT_TIMEOUT', message) }
    }
    await io.clock.sleep(Math.min(pauseMs, task.timeoutMs - elapsedMs), signal)
    try {
      signal.throwIfAborted()
      last = await task.read()
    } catch (error) {
      return { last, error }
    }
  }
}

/** Reports what is new since the last call, and returns the state. */
function createTeller<T>(output: Output, { what, describe, detail }: Watch<T>) {
  let seen = ''
  let tenth = 0
  return (value: T, elapsedMs: number): string => {
    const after = `(after ${duration(elapsedMs)})`
    const state = describe(value)
    if (state !== seen) {
      output.progress(`${what}: ${state} ${after}`)
      seen = state
      tenth = 0
    }
    const now = detail?.(value)
    if (!now || output.live(`${what}: ${now.text} ${after}`)) return seen
    if (Math.floor(now.percent / 10) > tenth) {
      tenth = Math.floor(now.percent / 10)
      output.progress(`${what}: ${now.text} ${after}`)
    }
    return seen
  }
}

/** Splits `restoring the backup: 43 % (1.2 GB of 2.8 GB)` into the state and its fine-grained progress. */
export function splitProgress(reason: string): { text: string; detail: Detail | null } {
  const match = /^(.*?): (\d{1,3}) ?%/.exec(reason)
  if (!match) return { text: reason, detail: null }
  return { text: match[1] ?? '', detail: { percent: Number(match[2]), text: reason } }
}

const joined = (state: string, reason: string) => (reason ? `${state}, ${reason}` : state)

type Aim = 'running' | 'stopped' | 'gone'

/** Waits for a service. Idle counts as running: the next query wakes it. */
export function watchService(
  session: Session,
  service: Service,
  aim: Aim,
  timeoutMs: number,
): Promise<Watched<Service>> {
  const { client, signal } = session
  return watch(session, {
    what: `service ${service.name}`,
    first: service,
    timeoutMs,
    describe: ({ state, stateReason }) => joined(state, splitProgress(stateReason).text),
    detail: ({ stateReason }) => splitProgress(stateReason).detail,
    read: () =>
      client.call('services.get', { params: { serviceId: service.id }, signal }).catch((error) => {
        if (isMissing(error)) return null
        throw error
      }),
    judge: (now) => judgeService(now, aim),
  })
}

function judgeService(service: Service | null, aim: Aim): ReturnType<Watch<Service>['judge']> {
  if (service === null) return aim === 'gone' ? 'done' : { failed: 'no longer exists' }
  const { state, stateReason, desiredState } = service
  if (aim === 'running' && (state === 'running' || state === 'idle')) return 'done'
  if (aim === 'stopped' && state === 'stopped') return 'done'
  if (aim !== 'gone' && state === 'terminating') return { failed: 'is being deleted' }
  if (state === 'failed') return { failed: `has failed${stateReason ? `: ${stateReason}` : ''}` }
  if (aim !== 'gone' && desiredState !== aim) return { failed: `was asked to be ${desiredState} meanwhile` }
  return 'pending'
}

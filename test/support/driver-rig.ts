import type { Claim, WorkQueue } from '../../src/lib/work-queue.ts'
import { createDriver, type Driver, type DriverOptions } from '../../src/reconcile/driver.ts'
import type { Loop, RunContext, RunFailure, RunResult } from '../../src/reconcile/loop.ts'
import { createManualClock, type ManualClock } from './manual-clock.ts'
import { createMemoryWork, type MemoryWork } from './memory-work.ts'
import { createRecordingLog, type RecordingLog } from './recording-log.ts'

/** A loop that records its calls and does what the test says. */
export interface Probe extends Loop {
  runs: { claim: Claim; atMs: number; signal: AbortSignal }[]
  failures: { id: string; failure: RunFailure }[]
  running: number
  peak: number
  behave: (id: string, context: RunContext) => Promise<RunResult> | RunResult
}

export function createProbe(kind: string, clock: ManualClock): Probe {
  const probe: Probe = {
    kind,
    runs: [],
    failures: [],
    running: 0,
    peak: 0,
    behave: () => ({ reason: 'as wanted' }),
    async reconcile(id, context) {
      probe.runs.push({ claim: context.claim, atMs: clock.now(), signal: context.signal })
      probe.running += 1
      probe.peak = Math.max(probe.peak, probe.running)
      try {
        return await probe.behave(id, context)
      } finally {
        probe.running -= 1
      }
    },
    async failed(id, _context, failure) {
      probe.failures.push({ id, failure })
    },
  }
  return probe
}

export interface Rig {
  clock: ManualClock
  work: MemoryWork
  log: RecordingLog
  probe: Probe
  /** Starts a driver on the queue; `ended` resolves with its `run`. Its waits have no jitter. */
  start(options?: Partial<DriverOptions>): { driver: Driver; ended: Promise<void> }
}

export function createRig(): Rig {
  const clock = createManualClock(1_000_000)
  const work = createMemoryWork(clock)
  const log = createRecordingLog()
  const probe = createProbe('thing', clock)
  return {
    clock,
    work,
    log,
    probe,
    start(options) {
      const backoff = { baseMs: 1_000, maxMs: 300_000, random: () => 1 }
      const driver = createDriver({ work, clock, log, loops: [probe], owner: 'a', backoff, ...options })
      return { driver, ended: driver.run(new AbortController().signal) }
    },
  }
}

/** Rejects when the signal aborts, as a well-behaved loop does. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = () => reject(new Error('aborted'))
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}

/** One driver's connection to the queue, which can fail without affecting other drivers. */
export interface Link extends WorkQueue {
  /**
   * `refuse`: calls throw and do nothing. `mute`: calls are carried out, but the answer is lost. `dead`: no call
   * ever returns, as after a crash of the caller.
   */
  mode: 'up' | 'refuse' | 'mute' | 'dead'
}

export function createLink(work: WorkQueue): Link {
  async function through<T>(call: () => Promise<T>): Promise<T> {
    if (link.mode === 'refuse') throw new Error('connection refused')
    if (link.mode === 'dead') return new Promise(() => undefined)
    const value = await call()
    if (link.mode === 'mute') throw new Error('connection reset')
    return value
  }
  const link: Link = {
    mode: 'up',
    claim: (input) => through(() => work.claim(input)),
    renew: (claims, leaseMs) => through(() => work.renew(claims, leaseMs)),
    settle: (claim, next) => through(() => work.settle(claim, next)),
    nextDueInMs: (kinds) => through(() => work.nextDueInMs(kinds)),
    nudge: (kind, id) => through(() => work.nudge(kind, id)),
    hasten: (kind) => through(() => work.hasten(kind)),
    release: (owner) => through(() => work.release(owner)),
  }
  return link
}

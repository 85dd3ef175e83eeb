import type { TestContext } from 'node:test'
import { createDriver, type Driver } from '../../src/reconcile/driver.ts'
import type { Loop } from '../../src/reconcile/loop.ts'
import { createRecordingLog, type RecordingLog } from './recording-log.ts'
import { createSqliteRig, type SqliteRig } from './store-rig.ts'

/** Loops on a driver, on a real store, with a clock that the test moves. */
export interface LoopRig extends SqliteRig {
  log: RecordingLog
  /** Starts the driver. The backoff doubles from one second and has no jitter. */
  start(...loops: Loop[]): Driver
  /** The items in the queue, as `kind/id`. */
  queued(): Promise<string[]>
  /** Moves time on and collects each new answer of `look` on the way. */
  watch<T>(ms: number, look: () => Promise<T>): Promise<T[]>
}

export async function createLoopRig(t: TestContext): Promise<LoopRig> {
  const rig = await createSqliteRig(t)
  const { store, clock, execute } = rig
  const log = createRecordingLog()
  const end = new AbortController()
  let ended: Promise<void> = Promise.resolve()
  t.after(async () => {
    end.abort()
    await clock.advance(60_000)
    await ended
  })
  return {
    ...rig,
    log,
    start(...loops) {
      const backoff = { baseMs: 1_000, maxMs: 300_000, random: () => 1 }
      const driver = createDriver({ work: store.work, loops, clock, log, owner: 'a', backoff })
      ended = driver.run(end.signal)
      return driver
    },
    async queued() {
      const rows = await execute('select kind, id from work order by kind, id')
      return rows.map(({ kind, id }) => `${kind}/${id}`)
    },
    async watch(ms, look) {
      const seen = [await look()]
      for (let passedMs = 0; passedMs < ms; passedMs += 100) {
        await clock.advance(100)
        const next = await look()
        if (JSON.stringify(next) !== JSON.stringify(seen.at(-1))) seen.push(next)
      }
      return seen
    },
  }
}

import { quoteIdentifier } from '../../../../lib/clickhouse/identifiers.ts'
import { type Clock, systemClock } from '../../../../lib/clock.ts'
import type { Log } from '../../../../lib/running.ts'

export interface DictionaryLifetimesOptions {
  /** Executes one statement; a reload takes as long as the dictionary's source takes to answer. */
  run: (sql: string) => Promise<string>
  log: Log
  intervalMs?: number
  clock?: Clock
}

/**
 * Reloads dictionaries whose LIFETIME has passed, on writers and readers. A ClickHouse server does so by itself; as a
 * library the engine loads a dictionary once and then keeps it. Dictionaries that were never used are left alone.
 */
export function createDictionaryLifetimes(options: DictionaryLifetimesOptions): {
  start(): void
  /** Resolves once no reload runs any more. */
  stop(): Promise<void>
  /** Resolves when every dictionary that is due has been reloaded or has failed. */
  look(): Promise<void>
} {
  const { run, log, intervalMs = 1_000, clock = systemClock } = options
  const stopping = new AbortController()
  let loop: Promise<void> | undefined
  let isAnyThere = false

  async function look(): Promise<void> {
    isAnyThere = (await run(anyThere)) === '1\n'
    if (!isAnyThere) return
    for (const line of (await run(due)).split('\n').filter(Boolean)) {
      if (stopping.signal.aborted) return
      const { database, name } = JSON.parse(line) as { database: string; name: string }
      const dictionary = `${quoteIdentifier(database)}.${quoteIdentifier(name)}`
      // The engine keeps the old contents, reports the failure in system.dictionaries and backs off.
      await run(`SYSTEM RELOAD DICTIONARY ${dictionary}`).catch((error: unknown) =>
        log.debug({ err: error, dictionary }, 'dictionary not reloaded'),
      )
    }
  }

  async function repeat(): Promise<void> {
    while (!stopping.signal.aborted) {
      // Without any dictionary, a tenth of the rate finds the first one soon enough.
      await clock.sleep(isAnyThere ? intervalMs : 10 * intervalMs, stopping.signal)
      if (stopping.signal.aborted) return
      await look().catch((error: unknown) => log.debug({ err: error }, 'dictionaries not looked at'))
    }
  }

  return {
    start() {
      loop ??= repeat()
    },
    async stop() {
      stopping.abort()
      await loop
    },
    look,
  }
}

const anyThere = "SELECT 1 FROM system.dictionaries WHERE database != '' LIMIT 1"

/**
 * Counts from the last attempt, not the last success, so that a failing source is not asked every second. A dictionary
 * that never loaded is tried again too: its source may have appeared after the first query for it.
 */
const due = `SELECT database, name FROM system.dictionaries
WHERE database != '' AND multiIf(
  status = 'FAILED', loading_start_time + least(60, 5 * error_count) <= now(),
  status IN ('LOADED', 'LOADED_AND_RELOADING', 'FAILED_AND_RELOADING'),
    lifetime_max > 0 AND loading_start_time + lifetime_max <= now(),
  0)
FORMAT JSONEachRow`

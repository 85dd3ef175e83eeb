import { hideStrings } from '../../../../lib/clickhouse/hide-strings.ts'
import type { Log } from '../../../../lib/running.ts'
import type { EngineError } from '../../engine-error.ts'
import { readEngineError } from '../engine/errors.ts'
import type { Summary } from '../http/answer.ts'
import { withDataFile } from '../http/spool.ts'
import type { ShownProcesses } from './shown-processes.ts'

/**
 * `system.query_log`: what clients ran on this replica since it started; the library has no such log. The newest entries
 * are kept here and become rows of a table in memory when a statement is about to read the log: logging a statement
 * costs next to nothing, and no part of the log is on the disk.
 */
export interface QueryLog {
  add(entry: LogEntry): void
  /** Resolves when the table contains every statement that has ended by now. */
  flush(): Promise<void>
}

export interface LogEntry {
  queryId: string
  user: string
  database: string
  /** As the client wrote it, without the data of an INSERT. */
  text: string
  /** '' = the statement was refused before it was parsed. */
  verb: string
  startedAtMs: number
  durationMs: number
  outcome: (Summary & { resultBytes: number }) | Pick<EngineError, 'code' | 'message'>
}

export const maxWaiting = 5_000
/** The limit for all waiting texts together; a single text is cut at `maxLength`, as a server does. */
const maxWaitingLength = 4 * 1024 * 1024
const maxLength = 100_000

export function createQueryLog({
  run,
  withoutSecrets,
  spoolDir,
  log,
}: {
  run: (sql: string) => Promise<string>
  withoutSecrets: ShownProcesses['withoutSecrets']
  spoolDir: string
  log: Log
}): QueryLog {
  let waiting: LogEntry[] = []
  let waitingLength = 0
  let flushing: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    const entries = waiting.slice(-maxWaiting)
    waiting = []
    waitingLength = 0
    await run(createTable)
    if (entries.length === 0) return
    // Most clients repeat the same few statements.
    const texts = [...new Set(entries.map(({ text }) => text))]
    const shown = new Map((await withoutSecrets(texts)).map((text, index) => [texts[index], text]))
    const lines = entries.map((entry) => JSON.stringify(rowOf(entry, shown.get(entry.text) ?? '')))
    await withDataFile(spoolDir, { bytes: Buffer.from(lines.join('\n')), rest: null }, (path) =>
      run(`INSERT INTO system.query_log FROM INFILE '${path}' COMPRESSION 'none' FORMAT JSONEachRow`),
    )
  }

  return {
    add(entry) {
      const text = cut(entry.text)
      waiting.push({ ...entry, text })
      waitingLength += text.length
      const isTooMuch = waitingLength > maxWaitingLength
      if (waiting.length < 2 * maxWaiting && !isTooMuch) return
      waiting = waiting.slice(isTooMuch ? Math.ceil(waiting.length / 2) : -maxWaiting)
      waitingLength = waiting.reduce((sum, { text }) => sum + text.length, 0)
    },
    flush() {
      flushing = flushing.then(write).catch((error: unknown) => {
        const { code, type } = readEngineError(error)
        log.warn({ code, type }, 'the query log could not be written')
      })
      return flushing
    },
  }
}

function rowOf(entry: LogEntry, shownText: string): Record<string, unknown> {
  const { queryId, user, database, text, verb, startedAtMs, durationMs, outcome } = entry
  const common = {
    ...{
      query: shownText,
      query_kind: kindOf(verb),
      query_id: queryId,
      user,
      current_database: database || 'default',
    },
    ...{ query_start_time_microseconds: seconds(startedAtMs), query_duration_ms: Math.round(durationMs) },
    event_time_microseconds: seconds(startedAtMs + durationMs),
  }
  if ('code' in outcome) {
    const { code, message } = outcome
    // Some errors of the engine quote the statement.
    const exception = shownText === text ? message : hideStrings(message)
    const type = verb === '' || code === 62 ? 'ExceptionBeforeStart' : 'ExceptionWhileProcessing'
    return { ...common, type, exception_code: code, exception: cut(exception) }
  }
  const { rowsRead, bytesRead, rowsWritten, bytesWritten, resultRows, resultBytes } = outcome
  return {
    ...{ ...common, type: 'QueryFinish', read_rows: rowsRead, read_bytes: bytesRead },
    ...{ written_rows: rowsWritten, written_bytes: bytesWritten },
    ...{ result_rows: resultRows, result_bytes: resultBytes },
  }
}

/** Copies the cut text, because a slice would keep the whole of a long text in memory. */
const cut = (text: string): string =>
  text.length <= maxLength ? text : Buffer.from(text.slice(0, maxLength)).toString()

/** `CREATE TABLE` → `Create`, as a server calls it. */
const kindOf = (verb: string): string => verb.slice(0, 1) + verb.slice(1).toLowerCase().replace(/ .*/, '')

const seconds = (ms: number): string => (ms / 1000).toFixed(6)

const counts = [
  ...['read_rows', 'read_bytes', 'written_rows', 'written_bytes', 'result_rows', 'result_bytes'],
]

/** The columns of a server's log for which this replica has values. */
const createTable = `CREATE TABLE IF NOT EXISTS system.query_log (
  type Enum8('QueryStart' = 1, 'QueryFinish' = 2, 'ExceptionBeforeStart' = 3, 'ExceptionWhileProcessing' = 4),
  event_date Date DEFAULT toDate(event_time_microseconds),
  event_time DateTime DEFAULT toDateTime(event_time_microseconds),
  event_time_microseconds DateTime64(6),
  query_start_time DateTime DEFAULT toDateTime(query_start_time_microseconds),
  query_start_time_microseconds DateTime64(6),
  query_duration_ms UInt64,
  ${counts.map((name) => `${name} UInt64`).join(', ')},
  current_database LowCardinality(String),
  query String,
  normalized_query_hash UInt64 DEFAULT normalizedQueryHash(query),
  query_kind LowCardinality(String),
  exception_code Int32,
  exception String,
  is_initial_query UInt8 DEFAULT 1,
  user LowCardinality(String),
  query_id String,
  initial_user LowCardinality(String) DEFAULT user,
  initial_query_id String DEFAULT query_id,
  interface UInt8 DEFAULT 2
) ENGINE = Memory SETTINGS min_rows_to_keep = ${maxWaiting}, max_rows_to_keep = ${2 * maxWaiting},
  min_bytes_to_keep = ${2 * maxWaitingLength}, max_bytes_to_keep = ${4 * maxWaitingLength}`

import type { SqlDialect } from '../../engine/engine.ts'
import { quoteString } from '../../lib/clickhouse/identifiers.ts'
import type { Inserted, JournalledBatch } from '../destination.ts'
import type { Questions } from './questions.ts'

/**
 * The newest batch of each lane, in a table of the service, so that it is in the service's backups: after a restore it
 * tells which batches the restored tables hold. It is written after the batch, so it may lack the newest one.
 */
export interface Ledger {
  create(signal: AbortSignal): Promise<void>
  note(batch: JournalledBatch, inserted: Inserted, signal: AbortSignal): Promise<void>
  read(signal: AbortSignal): Promise<{ lane: string; token: string; last: string }[]>
  /** Notes for a batch of objects that it is loaded into its staging table, with what its repetition must know. */
  noteStaged(token: string, note: string, signal: AbortSignal): Promise<void>
  /** null = the batch is not loaded. */
  staged(token: string, signal: AbortSignal): Promise<string | null>
}

const database = 'granary_pipes'
const table = `${database}.commits`
const stagedTable = `${database}.staged`

export function createLedger({ run, rows }: Questions, pipeId: string, dialect: SqlDialect): Ledger {
  const own = `pipe = ${quoteString(pipeId)}`
  const settings = Object.fromEntries(
    Object.entries(dialect.deduplication.insertSettings).map(([name, value]) => [name, String(value)]),
  )
  return {
    async create(signal) {
      await run(dialect.createDatabase(database), { signal })
      await run(
        `CREATE TABLE IF NOT EXISTS ${table} (pipe String, lane String, number UInt64, token String, first String,
          last String, rows UInt64, rejected UInt64, at DateTime64(3) DEFAULT now64(3))
          ENGINE = ${dialect.tableEngine('ReplacingMergeTree')}(number) ORDER BY (pipe, lane)`,
        { signal },
      )
      // A batch is repeated within days, if ever.
      await run(
        `CREATE TABLE IF NOT EXISTS ${stagedTable} (token String, note String, at DateTime DEFAULT now())
          ENGINE = ${dialect.tableEngine('MergeTree')} ORDER BY token TTL at + INTERVAL 90 DAY`,
        { signal },
      )
    },
    async noteStaged(token, note, signal) {
      const values = [token, note].map(quoteString).join(', ')
      await run(`INSERT INTO ${stagedTable} (token, note) SELECT ${values}`, { settings, signal })
    },
    async staged(token, signal) {
      const where = `token = ${quoteString(token)}`
      const found = await rows<{ note: string }>(
        `SELECT note FROM ${stagedTable} WHERE ${where} ORDER BY at LIMIT 1`,
        { signal },
      )
      return found[0]?.note ?? null
    },
    async note({ lane, token, first, last }, { rows, rejected }, signal) {
      const values = [pipeId, lane].map(quoteString)
      const texts = [token, first, last].map(quoteString)
      // Clocks may go back, so the newest is the one with the highest number.
      const number = `(SELECT max(number) FROM ${table} WHERE ${own} AND lane = ${quoteString(lane)}) + 1`
      await run(
        `INSERT INTO ${table} (pipe, lane, number, token, first, last, rows, rejected)
          SELECT ${values.join(', ')}, ${number}, ${texts.join(', ')}, ${rows}, ${rejected}`,
        { settings, signal },
      )
    },
    read: (signal) =>
      rows(
        `SELECT lane, argMax(token, number) AS token, argMax(last, number) AS last FROM ${table}
          WHERE ${own} GROUP BY lane ORDER BY lane`,
        { signal },
      ),
  }
}

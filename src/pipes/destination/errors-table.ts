import type { SqlDialect } from '../../engine/engine.ts'
import { quoteIdentifier } from '../../lib/clickhouse/identifiers.ts'
import type { Questions } from './questions.ts'

/** A record or an object that could not be read, for the errors table. */
export interface BadRecord {
  source: string
  position: string
  code: string
  reason: string
  raw: Uint8Array
  /** In bytes, where `raw` is not the whole. */
  size?: number
}

/** Longer records are cut in the errors table, where `raw_size` tells their whole size. */
export const maxRawBytes = 1024 * 1024

export const errorsTableName = (table: string): string => `${table}_pipe_errors`

/** Rows are forgotten after seven days. */
export function createErrorsTable(dialect: SqlDialect, database: string, table: string): string {
  return `CREATE TABLE IF NOT EXISTS ${nameOf(database, table)} (
    event_time DateTime64(3) DEFAULT now64(3),
    pipe_id String,
    pipe_name String,
    source String,
    lane String,
    position String,
    error_code LowCardinality(String),
    error String,
    raw_message String,
    raw_size UInt64
  ) ENGINE = ${dialect.tableEngine('MergeTree')} ORDER BY event_time TTL toDateTime(event_time) + INTERVAL 7 DAY
  SETTINGS ${settingsText(dialect.deduplication.tableSettings)}`
}

export const settingsText = (settings: Readonly<Record<string, number>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ')

/** The rows stay few however often the batch is repeated: its token marks them. */
export async function writeErrors(
  { run }: Questions,
  {
    pipe,
    database,
    table,
    lane,
    token,
    settings,
    bad,
    signal,
  }: {
    pipe: { id: string; name: string }
    database: string
    table: string
    lane: string
    token: string
    settings: Readonly<Record<string, string>>
    bad: AsyncIterable<BadRecord>
    signal: AbortSignal
  },
): Promise<void> {
  const columns = 'pipe_id, pipe_name, source, lane, position, error_code, error, raw_message, raw_size'
  await run(`INSERT INTO ${nameOf(database, table)} (${columns}) FORMAT RowBinary`, {
    body: encode(bad, pipe, lane),
    // Without threads the data is always cut into the same blocks, of which each has the token and its number.
    settings: {
      ...settings,
      insert_deduplication_token: `${token}:errors`,
      input_format_parallel_parsing: '0',
    },
    signal,
  })
}

async function* encode(
  bad: AsyncIterable<BadRecord>,
  { id, name }: { id: string; name: string },
  lane: string,
): AsyncGenerator<Uint8Array> {
  for await (const { source, position, code, reason, raw, size: whole = raw.length } of bad) {
    const texts = [id, name, source, lane, position, code, reason].flatMap((text) =>
      binaryString(Buffer.from(text)),
    )
    const size = Buffer.alloc(8)
    size.writeBigUInt64LE(BigInt(whole))
    yield Buffer.concat([...texts, ...binaryString(raw.subarray(0, maxRawBytes)), size])
  }
}

/** The length as a variable-length number of 7 bits per byte, and the bytes. */
function binaryString(bytes: Uint8Array): Uint8Array[] {
  const length: number[] = []
  let rest = bytes.length
  for (; rest > 0x7f; rest >>>= 7) length.push((rest & 0x7f) | 0x80)
  return [Uint8Array.from([...length, rest]), bytes]
}

export const nameOf = (database: string, table: string): string =>
  `${quoteIdentifier(database)}.${quoteIdentifier(table)}`

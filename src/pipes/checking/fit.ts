import { writeColumns } from '../../lib/clickhouse/column-list.ts'
import { quoteString } from '../../lib/clickhouse/identifiers.ts'
import type { CheckedPipe } from '../checks.ts'
import { planReading, readingSettings } from '../destination/mapping.ts'
import { EngineFailure, type Questions } from '../destination/questions.ts'
import type { Sample } from '../source.ts'

/** Each takes a statement, and one that fits is enough. */
const mostRecords = 10

/**
 * Why none of the first records of a sample can be read as the columns; null = one can, or the engine cannot tell: only
 * lines of JSON are read one by one. A pipe sends single records that do not fit to its errors table.
 */
export async function unfitSample(
  { run }: Questions,
  { format, bytes, settings }: Extract<Sample, { kind: 'bytes' }>,
  { destination, fieldMappings }: CheckedPipe['spec'],
  signal: AbortSignal,
): Promise<string | null> {
  // Fields that the pipe itself adds to records are not in a sample.
  const mappings = fieldMappings.filter(({ sourceField }) => !sourceField.startsWith('_'))
  if (format !== 'JSONEachRow' || mappings.length === 0) return null
  const columns = destination.columns.map(({ name, type }) => ({ name, type, hasDefault: false }))
  const reading = planReading({ format, mappings, columns })
  const statement = `INSERT INTO FUNCTION null(${quoteString(writeColumns(reading.columns))})
    SELECT ${reading.select} FROM input(${quoteString(reading.structure)}) FORMAT ${format}`
  let first: string | null = null
  for (const record of linesOf(bytes)) {
    const more = { body: once(record), settings: { ...readingSettings, ...settings }, signal }
    const reason = await run(statement, more).then(() => null, reasonOf)
    if (reason === null) return null
    first ??= reason
  }
  return first
}

/** Null = the record is not at fault. */
function reasonOf(error: unknown): string | null {
  if (!(error instanceof EngineFailure) || error.meaning === 'retry') throw error
  return error.meaning === 'data' ? error.message : null
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Latin-1 keeps every byte as it is. */
const linesOf = (bytes: Uint8Array): Buffer[] =>
  Buffer.from(bytes)
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '')
    .slice(0, mostRecords)
    .map((line) => Buffer.from(`${line}\n`, 'latin1'))

import { createReadStream, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { quoteIdentifier } from '../../../../lib/clickhouse/identifiers.ts'
import { EngineError } from '../../engine-error.ts'
import { type RecordCount, unclearRejects } from '../../protocol.ts'
import type { EngineResult } from '../engine/library.ts'

let last = 0

/** A file for the records that the engine cannot read. */
export const rejectsFile = (directory: string): string => join(directory, `x${++last}`)

/** With several threads the engine would count the records of each part of the data from 1 again. */
export const recordingArgs = (path: string): string[] => [
  `--input_format_record_errors_file_path=${path}`,
  '--input_format_allow_errors_num=1000000000000',
  '--input_format_parallel_parsing=0',
]

/**
 * Loads data into a table, leaves out the records that cannot be read, and says which. A broken record may hide the
 * beginning of the next one: then rows and rejects are fewer than the records, and the statement fails before anything
 * is in the table that the client names.
 */
export async function loadCounted({
  load,
  run,
  records,
  table,
  path,
}: {
  load: () => Promise<void>
  run: (sql: string, format: string) => Promise<EngineResult>
  records: number
  table: string
  path: string
}): Promise<RecordCount> {
  try {
    await load()
    const { bytes } = await run(`SELECT count() FROM ${quoteIdentifier(table)}`, 'TabSeparated')
    const count: RecordCount = { rows: Number(bytes.toString('utf8')), rejects: await readOrdinals(path) }
    if (count.rows + count.rejects.length === records) return count
    const text = `${unclearRejects}: ${records} gave ${count.rows} rows and ${count.rejects.length} errors`
    throw new EngineError(117, 'INCORRECT_DATA', text)
  } finally {
    rmSync(path, { force: true })
  }
}

/** The lines have the columns time, database, table, row, reason and data; the first three contain no comma. */
async function readOrdinals(path: string): Promise<number[]> {
  const ordinals: number[] = []
  if (!existsSync(path)) return ordinals
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const row = /^"[^"]*",[^,]*,"[^"]*",(\d+),/.exec(line)?.[1]
    // The engine counts from 1; the data of a reason may go over several lines.
    if (row !== undefined) ordinals.push(Number(row) - 1)
  }
  return ordinals
}

import type { ResultOf } from '../../api/operations.ts'
import { bytes, count } from '../units.ts'

export type StatementLine = ResultOf<'services.query'>
type Progress = Extract<StatementLine, { kind: 'progress' }>
type Done = Extract<StatementLine, { kind: 'done' }>

const barWidth = 20

/** `[=======             ] 37 %, 3.7 of 10.0 million rows, 120 MiB, 2 s`. */
export function progressLine({ readRows, totalRows, readBytes, elapsedMs }: Progress): string {
  const after = `${bytes(readBytes)}, ${seconds(elapsedMs)}`
  if (totalRows <= 0) return `${count(readRows)} rows read, ${after}`
  const share = Math.min(1, readRows / totalRows)
  const bar = '='.repeat(Math.round(share * barWidth)).padEnd(barWidth)
  return `[${bar}] ${Math.floor(share * 100)} %, ${count(readRows)} of ${count(totalRows)} rows, ${after}`
}

/** What is said below the rows. */
export function doneLine({ rows, isTruncated, elapsedMs, readRows, readBytes, writtenRows }: Done): string {
  const result = writtenRows > 0 ? `${count(writtenRows)} rows written` : plural(rows)
  const read = readRows > 0 ? `; ${count(readRows)} rows, ${bytes(readBytes)} read` : ''
  const more = isTruncated ? '; there are more: --max-rows, or --format for all of them' : ''
  return `${result} in ${seconds(elapsedMs)}${read}${more}`
}

const plural = (rows: number): string => (rows === 1 ? '1 row' : `${count(rows)} rows`)
const seconds = (ms: number): string =>
  ms < 10_000 ? `${(ms / 1000).toFixed(2)} s` : `${Math.round(ms / 1000)} s`

import { parseColumnType } from '../lib/where/column-type.ts'
import type { StatementResult } from './run-statement.ts'
import { columns as names } from './sql/chart-statement.ts'

/** A value of a chart: a number, a text or a date as text; null = there is none, or it is not finite. */
export type ChartValue = number | string | null

/** One row of a chart's statement. */
export interface ChartRow {
  /** The beginning of its bucket; 0 without a time axis. */
  bucketMs: number
  /** Its place by rank, from 1; beyond the limit of groups it is the rest of them. */
  place: number
  group: readonly (string | null)[]
  /** In the order of the statement's series. */
  values: readonly ChartValue[]
}

/** Reads values of a type of the engine, as they are in its JSON. */
export function valueReader(type: string): (given: unknown) => ChartValue {
  const { kind } = parseColumnType(type)
  const isNumber = kind === 'integer' || kind === 'float' || kind === 'decimal'
  return (given) => {
    if (given === null || given === undefined) return null
    if (typeof given === 'boolean') return given ? 1 : 0
    if (typeof given === 'number' || isNumber) return finite(Number(given))
    return typeof given === 'string' ? given : JSON.stringify(given)
  }
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null)

export interface DecodedChart {
  rows: ChartRow[]
  /** Number of groups, shown or not. */
  groups: number
}

export function decodeChart(
  { columns, rows }: StatementResult,
  { groups, series, stepMs }: { groups: number; series: number; stepMs: number },
): DecodedChart {
  const at = new Map(columns.map(({ name }, index) => [name, index]))
  const cell = (row: readonly unknown[], name: string): unknown => row[at.get(name) ?? -1]
  const readers = Array.from({ length: series }, (_, i) => {
    const name = names.value(i)
    const read = valueReader(columns[at.get(name) ?? -1]?.type ?? '')
    return (row: readonly unknown[]) => read(cell(row, name))
  })
  const [first] = rows
  return {
    groups: groups === 0 || !first ? 0 : Number(cell(first, names.groups)),
    rows: rows.map((row) => ({
      bucketMs: Number(cell(row, names.bucket) ?? 0) * stepMs,
      place: Number(cell(row, names.place) ?? 1),
      group: Array.from({ length: groups }, (_, i) => cell(row, names.group(i)) as string | null),
      values: readers.map((read) => read(row)),
    })),
  }
}

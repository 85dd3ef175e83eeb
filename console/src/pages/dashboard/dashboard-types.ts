import type { Result } from '../../api/operations.ts'

export type Dashboard = Result<'dashboards.get'>
export type Tile = Dashboard['tiles'][number]
export type Series = Tile['series'][number]
export type SeriesType = Series['type']
export type Variable = NonNullable<Dashboard['variables']>[number]
export type NumberFormat = NonNullable<Series['numberFormat']>

/** Null = every value. */
export type VariableValues = Record<string, string | string[] | null>

export interface AnswerMeta {
  type: SeriesType
  startTime: number
  endTime: number
  granularity?: string
  series?: { name: string }[]
  groups?: { shown: number; hidden: number }
  columns?: { name: string; type: string }[]
  nextCursor?: string | null
  where: string[]
  sql: string[]
  stats: { elapsedMs: number; rowsRead: number; bytesRead: number; cached: boolean }
  woken: boolean
}

export type Row = Record<string, unknown>

/** What a question was answered with. */
export interface Answer {
  rows: Row[]
  meta: AnswerMeta
  /** When, in milliseconds. */
  at: number
}

export interface Progress {
  rowsRead: number
  totalRows: number
  percent: number
}

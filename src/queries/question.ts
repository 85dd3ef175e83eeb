import type { Granularity } from '../domain/dashboard/query-limits.ts'
import type { Series, SeriesType, WhereLanguage } from '../domain/dashboard/types.ts'
import type { SourceRecord } from '../domain/source/types.ts'
import type { Variables } from '../lib/where/variables.ts'
import type { AnswerProgress } from './progress.ts'
import type { TimeSpan } from './sql/query-source.ts'

/** A tile to answer, with everything that the request and the dashboard say. */
export interface TileQuestion {
  type: SeriesType
  /** At least one; their own types play no part. */
  series: readonly { series: Series; source: SourceRecord }[]
  isRatio: boolean
  span: TimeSpan
  granularity: Granularity | 'auto'
  /** A further filter for every series. */
  where: string
  whereLanguage: WhereLanguage
  variables: Variables
  /** Absent = the default of the type. */
  groupLimit?: number | undefined
  /** Of a histogram. */
  buckets?: number | undefined
  /** Of a search. */
  limit?: number | undefined
  cursor?: string | undefined
  /** The range was asked for, and not left to the dashboard: a cursor must be of the same. */
  isSpanGiven: boolean
  /** Nothing comes from the cache. */
  refresh: boolean
  /** Who asks, as the engine shows it: `tile:67…`. */
  principal: string
}

export interface Asking {
  signal: AbortSignal
  onProgress?: ((progress: AnswerProgress) => void) | undefined
}

export interface TileAnswer {
  data: Record<string, unknown>[]
  meta: AnswerMeta
}

export interface AnswerMeta {
  type: SeriesType
  startTime: number
  endTime: number
  granularity?: Granularity
  series?: { name: string }[]
  groups?: { shown: number; hidden: number }
  columns?: { name: string; type: string }[]
  nextCursor?: string | null
  /** Markdown. */
  content?: string
  where: string[]
  sql: string[]
  stats: { elapsedMs: number; rowsRead: number; bytesRead: number; cached: boolean }
  woken: boolean
}

/** What a kind of tile adds to its answer. */
export type Answered = Pick<TileAnswer, 'data'> &
  Partial<
    Pick<AnswerMeta, 'series' | 'groups' | 'columns' | 'nextCursor' | 'where' | 'startTime' | 'endTime'>
  >

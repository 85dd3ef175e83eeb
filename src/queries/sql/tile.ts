import type { Series, SeriesType, WhereLanguage } from '../../domain/dashboard/types.ts'
import type { Issue } from '../../domain/issue.ts'
import type { Variables } from '../../lib/where/variables.ts'
import { WhereError } from '../../lib/where/where-error.ts'
import type { QuerySource, TimeSpan } from './query-source.ts'

/** Everything that decides what a tile asks: nothing of it is read anew while the tile is answered. */
export interface TileQuery {
  type: SeriesType
  /** At least one. */
  series: readonly TileSeries[]
  /** The first series divided by the second. */
  isRatio: boolean
  /** For time whole buckets. */
  span: TimeSpan
  /** Of `time`: the length of a bucket; of all others what `$__interval_s` means. */
  stepMs: number
  /** A further filter for every series. */
  where: string
  whereLanguage: WhereLanguage
  variables: Variables
  groupLimit: number
}

export interface TileSeries {
  /** Its number in the tile. */
  index: number
  series: Series
  source: QuerySource
}

/** A series that cannot be asked as it is. */
export class SeriesError extends Error {
  readonly issue: Issue

  constructor(issue: Issue) {
    super(issue.message)
    this.name = 'SeriesError'
    this.issue = issue
  }
}

export function seriesError(path: Issue['path'], code: Issue['code'], message: string): SeriesError {
  return new SeriesError({ path, code, message })
}

/** Runs `read`; an error about a text becomes an issue at this path. */
export function at<T>(path: Issue['path'], read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof WhereError)) throw error
    throw new SeriesError(issueOf(path, error))
  }
}

export function issueOf(path: Issue['path'], { code, message, position, suggestions }: WhereError): Issue {
  return { path, code, message, position, ...(code === 'not_found' ? { suggestions } : {}) }
}

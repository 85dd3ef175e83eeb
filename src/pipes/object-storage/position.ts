import { compareNames } from './store.ts'

/**
 * Where the list of objects has been read to. Batches are cut in the order of names and committed in several lanes
 * at a time, so each lane's position is the interval of names of its last batch, with the name up to which all
 * batches were committed when that batch was cut.
 */
export interface ListPosition {
  /** The names of the batch sort after this one; "" = from the beginning. */
  after: string
  /** The last name of the batch. */
  through: string
  done: string
  /** Only for pipes with a queue: what the queue's messages are compared with. */
  seen?: SeenState
}

/** Objects that were listed lately: the queue tells of them as well. */
export interface SeenState {
  /** When the first listing began. */
  sinceMs: number
  identities: string[]
}

/** The names that were committed: all up to `done`, and those in the intervals. */
export interface Committed {
  done: string
  intervals: { after: string; through: string }[]
}

export function joinPositions(positions: readonly ListPosition[], startAfter: string): Committed {
  let done = startAfter
  for (const position of positions) done = later(done, position.done)
  const beyond = positions.filter(({ through }) => compareNames(through, done) > 0)
  const intervals = beyond.sort((one, other) => compareNames(one.after, other.after))
  // Intervals that begin where `done` is move it on.
  while (intervals[0] !== undefined && compareNames(intervals[0].after, done) <= 0) {
    done = later(done, intervals.shift()?.through ?? '')
  }
  return { done, intervals: intervals.map(({ after, through }) => ({ after, through })) }
}

export const isCommitted = ({ done, intervals }: Committed, name: string): boolean =>
  compareNames(name, done) <= 0 ||
  intervals.some(({ after, through }) => compareNames(name, after) > 0 && compareNames(name, through) <= 0)

const later = (one: string, other: string): string => (compareNames(one, other) >= 0 ? one : other)

import { compareNames } from './store.ts'

/** Names that sort after `after`, up to `through` and with it. */
export interface Interval {
  /** "" = from the beginning. */
  after: string
  through: string
}

/** The names that were committed: all up to `done`, and those in the intervals. */
export interface Committed {
  done: string
  /** In the order of names. */
  intervals: Interval[]
}

/**
 * Where the list of objects has been read to. Batches are cut in the order of names and committed in several lanes
 * at a time, so each lane's position is the interval of its last batch, with all that was committed when that
 * batch was cut.
 */
export interface ListPosition extends Interval, Committed {
  /** Only for pipes with a queue: what the queue's messages are compared with. */
  seen?: SeenState
}

/** Objects that were listed lately: the queue tells of them as well. */
export interface SeenState {
  /** When the first listing began. */
  sinceMs: number
  identities: string[]
}

export function joinPositions(positions: readonly ListPosition[], startAfter: string): Committed {
  let done = startAfter
  for (const position of positions) done = later(done, position.done)
  return joined(
    done,
    positions.flatMap(({ after, through, intervals }) => [{ after, through }, ...intervals]),
  )
}

/** Intervals that touch become one, and move `done` on where they touch it. */
export function joined(done: string, all: readonly Interval[]): Committed {
  const committed: Committed = { done, intervals: [] }
  for (const { after, through } of all.toSorted((one, other) => compareNames(one.after, other.after))) {
    const last = committed.intervals.at(-1)
    if (compareNames(after, committed.done) <= 0) committed.done = later(committed.done, through)
    else if (last !== undefined && compareNames(after, last.through) <= 0)
      last.through = later(last.through, through)
    else committed.intervals.push({ after, through })
  }
  return committed
}

export const isCommitted = ({ done, intervals }: Committed, name: string): boolean =>
  compareNames(name, done) <= 0 ||
  intervals.some(({ after, through }) => compareNames(name, after) > 0 && compareNames(name, through) <= 0)

const later = (one: string, other: string): string => (compareNames(one, other) >= 0 ? one : other)

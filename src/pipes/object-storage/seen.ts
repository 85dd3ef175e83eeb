import { createHash } from 'node:crypto'
import type { SourceObject } from '../source.ts'
import { identityOf } from './names.ts'
import type { SeenState } from './position.ts'
import type { ListedObject } from './store.ts'

/**
 * The objects that a pipe with a queue has read lately. A queue tells of an object more than once, and tells of objects
 * that the first listing has found as well.
 */
export interface Seen {
  /** When the first listing begins; later calls change nothing. */
  beginListing(): void
  listed(object: ListedObject): void
  /** Whether the first listing or a batch has read the object; `eventMs` is when the store wrote it. */
  has(object: SourceObject, eventMs: number): boolean
  add(objects: readonly SourceObject[]): void
  /** What a lane of the list keeps: the newest objects that were listed. */
  listState(): SeenState
  /** What a lane of the queue keeps: the objects of its next batch, and the newest of its earlier state. */
  queueState(objects: readonly SourceObject[], earlier: SeenState | null): SeenState
  restore(state: SeenState): void
}

/** How far the clocks of the store and of this machine may differ. */
const skewMs = 10 * 60_000
/**
 * A queue repeats a message soon or not at all. Positions keep so many identities, for a reader that begins anew; a
 * message that was not deleted belongs to the last batch of its lane, which is always kept.
 */
const kept = { listed: 2_000, queued: 500 }
/** What a running reader knows. */
const remembered = 400_000

export function createSeen(now: () => number): Seen {
  const identities = new Set<string>()
  const listed = new Set<string>()
  let sinceMs = 0

  function remember(set: Set<string>, identity: string): void {
    set.add(identity)
    const [oldest] = set.size > remembered ? set : []
    if (oldest !== undefined) set.delete(oldest)
  }

  return {
    beginListing() {
      if (sinceMs === 0) sinceMs = now()
    },
    listed(object) {
      if (object.modifiedMs >= sinceMs - skewMs) remember(listed, shortened(object))
    },
    has(object, eventMs) {
      if (sinceMs > 0 && eventMs < sinceMs - skewMs) return true
      const identity = shortened(object)
      return identities.has(identity) || listed.has(identity)
    },
    add(objects) {
      for (const object of objects) remember(identities, shortened(object))
    },
    listState: () => ({ sinceMs, identities: [...listed].slice(-kept.listed) }),
    queueState(objects, earlier) {
      const newest = objects.map(shortened)
      const room = Math.max(0, kept.queued - newest.length)
      const before = earlier?.identities ?? []
      return {
        sinceMs,
        identities: [...before.slice(before.length - Math.min(room, before.length)), ...newest],
      }
    },
    restore(state) {
      if (state.sinceMs > 0) sinceMs = sinceMs === 0 ? state.sinceMs : Math.min(sinceMs, state.sinceMs)
      for (const identity of state.identities) remember(listed, identity)
    },
  }
}

const shortened = (object: SourceObject): string =>
  createHash('sha256').update(identityOf(object)).digest('base64url').slice(0, 12)

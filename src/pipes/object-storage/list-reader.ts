import type { PipeSettings } from '../../domain/pipe/types.ts'
import type { Batch } from '../source.ts'
import { createBatcher } from './batching.ts'
import type { Glob } from './glob.ts'
import { type Committed, isCommitted, joined, joinPositions, type ListPosition } from './position.ts'
import type { Seen } from './seen.ts'
import type { Slots } from './slots.ts'
import type { ObjectStore } from './store.ts'

/** Reads the matching objects in the order of their names, in batches, each name once. */
export interface ListReader {
  /** Lists from the last name on to the end of the list, and hands over what is new. */
  pass(): Promise<void>
  /** The last name that was handed over. */
  readonly cursor: string
  /** Objects that were committed. */
  readonly objects: number
}

export interface ListReaderParts {
  store: ObjectStore
  glob: Glob
  slots: Slots
  settings: PipeSettings
  startAfter: string
  /** Of a pipe with a queue. */
  seen: Seen | null
  onProgress(): void
}

export function createListReader(parts: ListReaderParts): ListReader {
  const { store, glob, slots, settings, seen, onProgress } = parts
  const positions = slots.positions.map((text) => JSON.parse(text) as ListPosition)
  let committed: Committed = joinPositions(positions, parts.startAfter)
  let batcher = createBatcher(settings)
  let cursor = committed.done
  /** The last name in the batcher. */
  let last = ''
  let objects = 0

  async function cut(): Promise<void> {
    if (batcher.isEmpty) return
    const { batch } = batcher
    batcher = createBatcher(settings)
    const names = [...batch.objects, ...batch.rejected].map(({ key }) => key)
    const interval = { after: cursor, through: last }
    await slots.send(
      () => {
        cursor = interval.through
        const position: ListPosition = { ...interval, ...committed }
        if (seen !== null) position.seen = seen.listState()
        return batchOf(names[0] ?? '', JSON.stringify(position), batch)
      },
      () => {
        objects += batch.objects.length
        committed = joined(committed.done, [...committed.intervals, interval])
        onProgress()
      },
    )
  }

  return {
    get cursor() {
      return cursor
    },
    get objects() {
      return objects
    },
    async pass() {
      seen?.beginListing()
      for (let after: string | null = cursor; after !== null; ) {
        const page = await store.list({ prefix: glob.prefix, after, signal: slots.signal })
        for (const object of page.objects) {
          if (object.bytes === 0 || !glob.matches(object.key)) continue
          if (committed.intervals.length > 0 && isCommitted(committed, object.key)) continue
          if (!batcher.fits(object)) await cut()
          batcher.add(object)
          last = object.key
          seen?.listed(object)
        }
        after = page.next
      }
      await cut()
    },
  }
}

export function batchOf(
  first: string,
  last: string,
  batch: ReturnType<typeof createBatcher>['batch'],
): Batch {
  const { objects, rejected, bytes } = batch
  return { first, last, content: { objects, rejected }, sourceBytes: bytes }
}

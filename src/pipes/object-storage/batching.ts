import type { PipeSettings } from '../../domain/pipe/types.ts'
import type { RejectedObject, SourceObject } from '../source.ts'
import { isPlainName } from './names.ts'

/** Larger objects are refused: one statement reads an object whole. */
export const maxObjectBytes = 10_000_000_000

export interface ObjectBatch {
  objects: SourceObject[]
  rejected: RejectedObject[]
  bytes: number
}

export type BatchLimits = Pick<
  PipeSettings,
  'object_storage_max_insert_bytes' | 'object_storage_max_file_count'
>

/** Collects objects until they are a batch. */
export interface Batcher {
  readonly batch: ObjectBatch
  readonly isEmpty: boolean
  /** Whether the object fits beside those before it; the first object always does. */
  fits(object: SourceObject): boolean
  /** A later version of an object replaces an earlier one: the store has the later one only. */
  add(object: SourceObject): void
}

/** The statement names every object, so the names of a batch are bounded as well. */
const maxNameBytes = 1_000_000
/** The engine reads each object with an unusual name separately. */
const maxUnusual = 100

export function createBatcher(limits: BatchLimits): Batcher {
  const batch: ObjectBatch = { objects: [], rejected: [], bytes: 0 }
  let nameBytes = 0
  let unusual = 0
  const places = new Map<string, number>()
  const count = () => batch.objects.length + batch.rejected.length
  return {
    batch,
    get isEmpty() {
      return count() === 0
    },
    fits({ key, bytes }) {
      if (count() === 0) return true
      return (
        count() < limits.object_storage_max_file_count &&
        batch.bytes + (bytes > maxObjectBytes ? 0 : bytes) <= limits.object_storage_max_insert_bytes &&
        nameBytes + key.length <= maxNameBytes &&
        (unusual < maxUnusual || isPlainName(key))
      )
    },
    add({ key, etag, bytes }) {
      nameBytes += key.length
      if (bytes > maxObjectBytes) {
        batch.rejected.push({ key, etag, bytes, code: 'unreadable', reason: tooLarge(bytes) })
        return
      }
      const place = places.get(key) ?? batch.objects.length
      if (place === batch.objects.length && !isPlainName(key)) unusual += 1
      batch.bytes += bytes - (batch.objects[place]?.bytes ?? 0)
      batch.objects[place] = { key, etag, bytes }
      places.set(key, place)
    },
  }
}

const tooLarge = (bytes: number): string =>
  `the object has ${bytes} bytes; objects of more than ${maxObjectBytes} bytes are not read`

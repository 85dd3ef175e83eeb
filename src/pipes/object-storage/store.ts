import type { SourceObject } from '../source.ts'

/** A bucket, container or folder, as the lister sees it. All methods reject with a `SourceError`. */
export interface ObjectStore {
  /**
   * One page of the objects whose names begin with `prefix` and sort after `after`, in the order of their names'
   * bytes. Null for `next` = there are no more; else the listing goes on after that name.
   */
  list(from: { prefix: string; after: string; signal: AbortSignal }): Promise<ObjectPage>
  /** Rejects when the object cannot be read. */
  probe(key: string, signal: AbortSignal): Promise<void>
  close(): void
}

export interface ObjectPage {
  objects: ListedObject[]
  next: string | null
}

export interface ListedObject extends SourceObject {
  /** Milliseconds since 1970, by the store's clock. */
  modifiedMs: number
}

/** Names sort by their bytes, as stores sort them; the comparison of texts differs for characters beyond U+FFFF. */
export function compareNames(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}

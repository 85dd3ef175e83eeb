/**
 * Things that come and go all the time. A Set would do, but whenever it grows or shrinks it leaves a table behind that
 * refers to the next one: once such a table is old, young garbage stays until a full collection.
 */
export interface Roster<T> extends Iterable<T> {
  /** The returned function removes the item; it may be called once. */
  add(item: T): () => void
}

export function createRoster<T>(): Roster<T> {
  const places: (T | null)[] = []
  const free: number[] = []
  return {
    add(item) {
      const place = free.pop() ?? places.length
      places[place] = item
      return () => {
        places[place] = null
        free.push(place)
      }
    },
    *[Symbol.iterator]() {
      for (const item of places) if (item !== null) yield item
    },
  }
}

import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { type BatchHead, batchHeadBytes, readBatchHead } from './record-batch.ts'

/** Where a partition keeps its batches. What `append` has returned from outlives kill -9 when it is a file. */
export interface BatchStorage {
  /** Returns how to get each batch back. */
  append(batches: readonly Buffer[]): Load[]
  /** All batches that were there before, in their order. */
  reopen(): { head: BatchHead; load: Load }[]
  close(): void
}

export type Load = () => Buffer

export const createMemoryStorage = (): BatchStorage => ({
  append: (batches) => batches.map((batch) => () => batch),
  reopen: () => [],
  close() {},
})

export function openFileStorage(path: string): BatchStorage {
  const file = openSync(path, 'a+')
  let end = fstatSync(file).size
  const read = (position: number, bytes: number): Buffer => {
    const buffer = Buffer.allocUnsafe(bytes)
    const length = readSync(file, buffer, 0, bytes, position)
    return buffer.subarray(0, length)
  }
  return {
    append(batches) {
      const all = batches.length === 1 ? batches[0] : Buffer.concat(batches)
      if (all === undefined) return []
      for (let written = 0; written < all.length; ) written += writeSync(file, all, written)
      return batches.map(({ length }) => {
        const position = end
        end += length
        return () => read(position, length)
      })
    },
    reopen() {
      const found: { head: BatchHead; load: Load }[] = []
      let position = 0
      for (;;) {
        // The last batch may be cut off: the broker was killed while it wrote, and never answered.
        const head = readBatchHead(read(position, batchHeadBytes), 0, end - position)
        if (head === undefined) break
        const at = position
        found.push({ head, load: () => read(at, head.bytes) })
        position += head.bytes
      }
      ftruncateSync(file, position)
      end = position
      return found
    },
    close: () => closeSync(file),
  }
}

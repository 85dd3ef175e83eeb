import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { type BatchHead, batchHeadBytes, readBatchHead } from './record-batch.ts'

/** Where a partition keeps its batches. In a file, batches outlive kill -9 once `append` has returned. */
export interface BatchStorage {
  /** Returns a function for each batch that loads it again. */
  append(batches: readonly Buffer[]): Load[]
  /** All batches stored earlier, in order. */
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
        // The last batch may be cut off: the broker was killed during the write and never answered.
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

import type { BatchStorage, Load } from './batch-storage.ts'
import { crc32c } from './crc32c.ts'
import { errorCodes } from './error-codes.ts'
import { createProducerStates, type ProducerStates } from './producer-states.ts'
import { type BatchHead, isCommitMarker, readBatchHead, readTimestamps } from './record-batch.ts'

/** The batches of one partition, in offset order. All of them count as replicated at once. */
export interface PartitionLog {
  readonly startOffset: number
  /** The offset of the next record, which is also the high watermark. */
  readonly endOffset: number
  /** The last stable offset, where reading committed records ends: before the first open transaction. */
  readonly stableOffset: number
  readonly producers: ProducerStates
  /**
   * Appends consecutive batches. The log keeps `bytes` and writes the offsets into it. Checksums are not verified
   * for batches of this broker itself.
   */
  append(bytes: Buffer, leaderEpoch: number, isOurs?: boolean): Appended
  /** Whole batches from the one that contains `from`; at least one if `isFirst`, however large. */
  read(from: number, to: number, maxBytes: number, isFirst: boolean): Buffer[]
  /** The first record whose timestamp is not earlier. */
  find(timestamp: number): Promise<{ offset: number; timestamp: number } | undefined>
  /** The record with the highest timestamp. */
  findNewest(): Promise<{ offset: number; timestamp: number } | undefined>
  /** Expires the records before this offset. */
  expireBefore(offset: number): void
  close(): void
}

export interface Appended {
  error: number
  baseOffset: number
}

interface Entry {
  baseOffset: number
  lastOffset: number
  maxTimestamp: number
  bytes: number
  load: Load
}

export function openPartitionLog(storage: BatchStorage, startOffset: number): PartitionLog {
  const entries: Entry[] = []
  const producers = createProducerStates()
  let start = startOffset
  let end = 0
  const note = (head: BatchHead, load: Load): void => {
    const lastOffset = head.baseOffset + head.lastOffsetDelta
    const { baseOffset, maxTimestamp, bytes } = head
    entries.push({ baseOffset, lastOffset, maxTimestamp, bytes, load })
    producers.note(head, head.isControl && isCommitMarker(load()))
    end = lastOffset + 1
  }
  for (const { head, load } of storage.reopen()) note(head, load)

  const indexOf = (offset: number): number => {
    let [low, high] = [0, entries.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((entries[middle] as Entry).lastOffset < offset) low = middle + 1
      else high = middle
    }
    return low
  }
  const isHere = ({ offset }: { offset: number }): boolean => offset >= start

  return {
    get startOffset() {
      return start
    },
    get endOffset() {
      return end
    },
    get stableOffset() {
      return producers.firstOpenOffset() ?? end
    },
    producers,
    append(bytes, leaderEpoch, isOurs = false) {
      const batches: { head: BatchHead; batch: Buffer }[] = []
      let next = end
      for (let at = 0; at < bytes.length; ) {
        const head = readBatchHead(bytes, at)
        if (head === undefined) return { error: errorCodes.corruptMessage, baseOffset: -1 }
        const batch = bytes.subarray(at, at + head.bytes)
        if (!isOurs && crc32c(batch, 21) !== head.crc) {
          return { error: errorCodes.corruptMessage, baseOffset: -1 }
        }
        const { error, duplicateOf } = producers.check(head)
        if (error !== 0) return { error, baseOffset: -1 }
        if (duplicateOf !== undefined) return { error: 0, baseOffset: duplicateOf }
        batch.writeBigInt64BE(BigInt(next), 0)
        batch.writeInt32BE(leaderEpoch, 12)
        batches.push({ head: { ...head, baseOffset: next }, batch })
        next += head.lastOffsetDelta + 1
        at += head.bytes
      }
      const baseOffset = end
      const loads = storage.append(batches.map(({ batch }) => batch))
      batches.forEach(({ head }, index) => {
        note(head, loads[index] as Load)
      })
      return { error: 0, baseOffset }
    },
    read(from, to, maxBytes, isFirst) {
      const found: Buffer[] = []
      let room = maxBytes
      for (let index = indexOf(from); index < entries.length; index++) {
        const { baseOffset, bytes, load } = entries[index] as Entry
        if (baseOffset >= to || (bytes > room && !(isFirst && found.length === 0))) break
        found.push(load())
        room -= bytes
      }
      return found
    },
    async find(timestamp) {
      for (const { lastOffset, maxTimestamp, load } of entries) {
        if (lastOffset < start || maxTimestamp < timestamp) continue
        const records = (await readTimestamps(load())).filter(isHere)
        const found = records.find((record) => record.timestamp >= timestamp)
        if (found !== undefined) return found
      }
      return undefined
    },
    async findNewest() {
      const times = entries.filter(({ lastOffset }) => lastOffset >= start)
      const newest = times.reduce<Entry | undefined>(
        (best, entry) => (best === undefined || entry.maxTimestamp > best.maxTimestamp ? entry : best),
        undefined,
      )
      if (newest === undefined) return undefined
      const records = (await readTimestamps(newest.load())).filter(isHere)
      return records.find(({ timestamp }) => timestamp === newest.maxTimestamp)
    },
    expireBefore(offset) {
      start = Math.max(start, Math.min(offset, end))
      entries.splice(0, indexOf(start))
    },
    close: () => storage.close(),
  }
}

import { errorCodes } from './error-codes.ts'
import type { BatchHead } from './record-batch.ts'

/** One partition's state of idempotent and transactional producers; rebuilt from the batches on opening. */
export interface ProducerStates {
  /** Whether a batch may be appended. A batch that was appended before gets `duplicateOf` instead. */
  check(head: BatchHead): { error: number; duplicateOf?: number }
  /** Called after the batch is appended. `isCommit` is for control batches. */
  note(head: BatchHead, isCommit: boolean): void
  isOpen(producerId: number): boolean
  /** The first offset that belongs to an open transaction. */
  firstOpenOffset(): number | undefined
  /** Aborted transactions whose records in [from, to) readers must skip. */
  abortedBetween(from: number, to: number): { producerId: number; firstOffset: number }[]
}

interface Producer {
  epoch: number
  /** The last five batches, as a real broker keeps them, since clients may have five requests in flight. */
  recent: { sequence: number; count: number; offset: number }[]
}

export function createProducerStates(): ProducerStates {
  const producers = new Map<number, Producer>()
  const open = new Map<number, number>()
  const aborted: { producerId: number; firstOffset: number; lastOffset: number }[] = []

  return {
    check({ producerId, producerEpoch, sequence, count, isControl }) {
      const known = producers.get(producerId)
      if (producerId < 0 || isControl || known === undefined) return { error: 0 }
      if (producerEpoch < known.epoch) return { error: errorCodes.invalidProducerEpoch }
      if (producerEpoch > known.epoch || sequence < 0) return { error: 0 }
      const same = known.recent.find((batch) => batch.sequence === sequence && batch.count === count)
      if (same !== undefined) return { error: 0, duplicateOf: same.offset }
      const last = known.recent.at(-1)
      const expected = last === undefined ? sequence : (last.sequence + last.count) % 2 ** 31
      return { error: sequence === expected ? 0 : errorCodes.outOfOrderSequence }
    },
    note({ producerId, producerEpoch, sequence, count, baseOffset, isTransactional, isControl }, isCommit) {
      if (producerId < 0) return
      const known = producers.get(producerId)
      const producer: Producer = known?.epoch === producerEpoch ? known : { epoch: producerEpoch, recent: [] }
      producers.set(producerId, producer)
      if (isControl) {
        const firstOffset = open.get(producerId)
        open.delete(producerId)
        if (firstOffset !== undefined && !isCommit) {
          aborted.push({ producerId, firstOffset, lastOffset: baseOffset })
        }
        return
      }
      producer.recent.push({ sequence, count, offset: baseOffset })
      if (producer.recent.length > 5) producer.recent.shift()
      if (isTransactional && !open.has(producerId)) open.set(producerId, baseOffset)
    },
    isOpen: (producerId) => open.has(producerId),
    firstOpenOffset: () => (open.size === 0 ? undefined : Math.min(...open.values())),
    abortedBetween: (from, to) =>
      aborted
        .filter(({ firstOffset, lastOffset }) => lastOffset >= from && firstOffset < to)
        .map(({ producerId, firstOffset }) => ({ producerId, firstOffset })),
  }
}

import type { Batch, SourceObject } from '../../src/pipes/source.ts'
import { createLaneMemory, type LaneMemory } from './pipes/lane-memory.ts'

/**
 * The runtime's side of a pipe that reads objects, in memory: batches are committed at once, or when a test says so.
 */
export interface FakeLanes extends LaneMemory {
  /** Committed batches in the order of their commits. */
  batches: { lane: string; batch: Batch; objects: SourceObject[]; rejected: SourceObject[] }[]
  /** The names of all committed objects. */
  keys(): string[]
  /** Batches that wait, when `isHolding`. */
  held: HeldBatch[]
  isHolding: boolean
}

export interface HeldBatch {
  lane: string
  batch: Batch
  commit(): void
  fail(error: Error): void
}

/** `carryOut` does what the destination would do. */
export function createFakeLanes(
  carryOut: (lane: string, batch: Batch) => Promise<void> = async () => undefined,
): FakeLanes {
  const memory = createLaneMemory({
    isExclusive: true,
    async commit(lane, batch) {
      if (fake.isHolding) {
        await new Promise<void>((resolve, reject) => {
          fake.held.push({ lane, batch, commit: resolve, fail: reject })
          fake.changed()
        })
      }
      if (!('objects' in batch.content)) throw new Error('a batch of objects is expected')
      await carryOut(lane, batch)
      fake.batches.push({ lane, batch, ...batch.content })
    },
  })
  const fake: FakeLanes = Object.assign(memory, {
    ...{ batches: [], held: [], isHolding: false },
    keys: () => fake.batches.flatMap(({ objects }) => objects.map(({ key }) => key)),
  })
  return fake
}

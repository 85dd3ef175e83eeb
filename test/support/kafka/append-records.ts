import type { Kafka } from './kafka.ts'
import { type BatchOptions, encodeBatch, type KafkaRecord } from './record-batch.ts'

/** The part of a cluster that appending needs, in this process or in another one. */
export interface BatchTarget {
  appendBatches(...args: Parameters<Kafka['appendBatches']>): number | Promise<number>
}

export interface AppendOptions extends BatchOptions {
  /** How many records a batch holds; by default 1,000. */
  batchRecords?: number
}

/**
 * Appends records to a partition without the network, batch by batch, so that millions of them need little
 * memory. Returns the offset of the first one.
 */
export async function appendRecords(
  kafka: BatchTarget,
  topic: string,
  partition: number,
  records: Iterable<KafkaRecord>,
  { batchRecords = 1000, ...options }: AppendOptions = {},
): Promise<number> {
  let first: number | undefined
  let batch: KafkaRecord[] = []
  const flush = async (): Promise<void> => {
    if (batch.length === 0) return
    const offset = await kafka.appendBatches(topic, partition, encodeBatch(batch, options))
    first ??= offset
    batch = []
  }
  for (const record of records) {
    batch.push(record)
    if (batch.length >= batchRecords) await flush()
  }
  await flush()
  return first ?? -1
}

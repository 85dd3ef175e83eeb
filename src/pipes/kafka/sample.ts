import { createMemorySpool } from '../formats/memory-spool.ts'
import type { BatchWriter, RecordFormat } from '../formats/record-format.ts'
import type { Sample } from '../source.ts'
import type { Cluster } from './cluster.ts'
import { readBatches, type SourceRecord } from './record-batches.ts'
import type { Place } from './virtual-fields.ts'

const sampleRecords = 100
const samplePartitions = 8
const partitionBytes = 256 * 1024

/** Some of the newest records of each topic, in the format of the first of them; null = there are none. */
export async function readSample(
  cluster: Cluster,
  topics: readonly string[],
  formatOf: (place: Place) => RecordFormat<SourceRecord>,
): Promise<Sample | null> {
  const spool = createMemorySpool()
  let writer: BatchWriter<SourceRecord> | undefined
  for (const described of await cluster.describe(topics)) {
    const { topic, leaders } = described
    const earliest = await cluster.offsets(topic, 'earliest')
    const latest = await cluster.offsets(topic, 'latest')
    const parts = leaders
      .map((leader, partition) => {
        const [first = 0, end = 0] = [earliest[partition], latest[partition]]
        return { leader, partition, offset: Math.max(first, end - sampleRecords), end }
      })
      .filter(({ leader, offset, end }) => leader >= 0 && offset < end)
      .slice(0, samplePartitions)
    for (const { leader, partition, offset } of parts) {
      if (spool.records >= sampleRecords) break
      const partitions = [{ topic, partition, offset, maxBytes: partitionBytes }]
      const request = { maxWaitMs: 500, minBytes: 1, maxBytes: partitionBytes, partitions }
      const format = formatOf({ topic, partition })
      for (const fetched of await cluster.fetch(leader, request)) {
        const bytes = Buffer.concat(fetched.batches.buffers)
        for (const { records } of readBatches(bytes, fetched.aborted, offset)) {
          await format.prepare(records)
          writer ??= format.begin(spool)
          for (const record of records) {
            if (record.value === null || spool.records >= sampleRecords) continue
            if (!writer.write({ ...record, value: record.value })) break
          }
        }
      }
    }
  }
  writer?.end()
  return spool.sample()
}

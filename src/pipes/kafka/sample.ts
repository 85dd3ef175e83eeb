import type { Sample, Spool } from '../source.ts'
import type { Cluster } from './cluster.ts'
import { readBatches } from './record-batches.ts'
import type { RecordFormat } from './record-format.ts'
import type { Place } from './virtual-fields.ts'

const sampleRecords = 100
const samplePartitions = 8
const partitionBytes = 256 * 1024
const none = new Uint8Array()

/** Some of the newest records of each topic, in the format of the first of them; null = there are none. */
export async function readSample(
  cluster: Cluster,
  topics: readonly string[],
  formatOf: (place: Place) => RecordFormat,
): Promise<Sample | null> {
  const spool = createMemorySpool()
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
          const writer = spool.writer ?? format.begin(spool)
          spool.writer = writer
          for (const record of records) {
            if (record.value === null || spool.records >= sampleRecords) continue
            if (!writer.write({ ...record, value: record.value })) break
          }
        }
      }
    }
  }
  spool.writer?.end()
  return spool.sample()
}

function createMemorySpool(): Spool & {
  writer?: ReturnType<RecordFormat['begin']>
  sample(): Sample | null
} {
  const parts: Buffer[] = []
  let [bytes, format] = [0, '']
  let settings: Record<string, string> = {}
  let head: Uint8Array = none
  return {
    get records() {
      return parts.length
    },
    get bytes() {
      return bytes
    },
    format(name, given = {}, before = none) {
      format = name
      settings = given
      head = before
    },
    append(record) {
      parts.push(Buffer.from(record.bytes))
      bytes += record.bytes.length
    },
    reject() {},
    async discard() {},
    sample: () =>
      parts.length === 0 ? null : { kind: 'bytes', format, bytes: Buffer.concat([head, ...parts]), settings },
  }
}

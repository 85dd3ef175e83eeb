import { type Connection, type Reader, Writer } from '@platformatic/kafka'

/**
 * Fetch of version 11: brokers from 2.3 to 4.x support it, and it names topics. The client's own fetch decodes
 * every record into an object and fails as a whole when one batch is damaged; here batches stay bytes.
 */
export interface FetchRequest {
  maxWaitMs: number
  minBytes: number
  maxBytes: number
  partitions: readonly { topic: string; partition: number; offset: number; maxBytes: number }[]
}

export interface FetchedPartition {
  topic: string
  partition: number
  /** The protocol's code; 0 = none. */
  errorCode: number
  /** Where reading committed records ends; -1 with an error. */
  stableOffset: number
  startOffset: number
  /** Transactions whose records the batches contain though they were aborted. */
  aborted: readonly { producerId: bigint; firstOffset: number }[]
  /** Record batches, the last one possibly cut off, in the chunks in which they arrived. */
  batches: Chunks
}

export interface Chunks {
  length: number
  buffers: readonly Buffer[]
}

const fetchKey = 1
const fetchVersion = 11
const readCommitted = 1

export function sendFetch(connection: Connection, request: FetchRequest): Promise<FetchedPartition[]> {
  return new Promise((resolve, reject) => {
    connection.send<FetchedPartition[]>(
      ...([fetchKey, fetchVersion, () => encode(request), decode, false, false] as const),
      (error, fetched) => {
        if (error) reject(error)
        else resolve(fetched as FetchedPartition[])
      },
    )
  })
}

function encode({ maxWaitMs, minBytes, maxBytes, partitions }: FetchRequest): Writer {
  const topics = Map.groupBy(partitions, ({ topic }) => topic)
  return (
    Writer.create()
      // The replica id of a consumer; session 0 with epoch -1 is a fetch without a session.
      .appendInt32(-1)
      .appendInt32(maxWaitMs)
      .appendInt32(minBytes)
      .appendInt32(maxBytes)
      .appendInt8(readCommitted)
      .appendInt32(0)
      .appendInt32(-1)
      .appendArray(
        [...topics],
        (writer, [topic, parts]) => {
          writer.appendString(topic, false).appendArray(
            parts,
            (inner, part) => {
              inner
                .appendInt32(part.partition)
                .appendInt32(-1)
                .appendInt64(BigInt(part.offset))
                .appendInt64(-1n)
                .appendInt32(part.maxBytes)
            },
            false,
            false,
          )
        },
        false,
        false,
      )
      .appendInt32(0)
      .appendString('', false)
  )
}

function decode(_correlationId: number, _key: number, _version: number, reader: Reader): FetchedPartition[] {
  reader.skip(4)
  const errorCode = reader.readInt16()
  reader.skip(4)
  const fetched: FetchedPartition[] = []
  for (let topics = reader.readInt32(); topics > 0; topics--) {
    const topic = reader.readString(false)
    for (let partitions = reader.readInt32(); partitions > 0; partitions--) {
      const partition = reader.readInt32()
      const partitionError = reader.readInt16()
      reader.skip(8)
      const stableOffset = Number(reader.readInt64())
      const startOffset = Number(reader.readInt64())
      const aborted: { producerId: bigint; firstOffset: number }[] = []
      for (let count = reader.readInt32(); count > 0; count--) {
        aborted.push({ producerId: reader.readInt64(), firstOffset: Number(reader.readInt64()) })
      }
      reader.skip(4)
      const size = Math.max(0, reader.readInt32())
      fetched.push({
        ...{ topic, partition, stableOffset, startOffset, aborted },
        errorCode: errorCode || partitionError,
        batches: reader.buffer.subarray(reader.position, reader.position + size),
      })
      reader.skip(size)
    }
  }
  return fetched
}

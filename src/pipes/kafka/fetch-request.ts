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
  /** Record batches, the last one possibly cut off. */
  batches: Buffer
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
  const bytes = reader.buffer.slice(0, reader.length)
  let at = 4
  const skip = (size: number): number => {
    at += size
    return at - size
  }
  const int16 = (): number => bytes.readInt16BE(skip(2))
  const int32 = (): number => bytes.readInt32BE(skip(4))
  const int64 = (): bigint => bytes.readBigInt64BE(skip(8))
  const slice = (size: number): Buffer => bytes.subarray(skip(size), at)
  const errorCode = int16()
  int32()
  const fetched: FetchedPartition[] = []
  for (let topics = int32(); topics > 0; topics--) {
    const topic = slice(int16()).toString()
    for (let partitions = int32(); partitions > 0; partitions--) {
      const partition = int32()
      const partitionError = int16()
      int64()
      const stableOffset = Number(int64())
      const startOffset = Number(int64())
      const aborted: { producerId: bigint; firstOffset: number }[] = []
      for (let count = int32(); count > 0; count--) {
        aborted.push({ producerId: int64(), firstOffset: Number(int64()) })
      }
      int32()
      fetched.push({
        ...{ topic, partition, stableOffset, startOffset, aborted },
        errorCode: errorCode || partitionError,
        batches: slice(Math.max(0, int32())),
      })
    }
  }
  return fetched
}

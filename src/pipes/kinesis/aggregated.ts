import { createHash } from 'node:crypto'
import { endOfVarint, readVarint } from '../formats/protobuf/walk.ts'
import type { Shard, StreamRecord } from './stream.ts'

/**
 * Records of the Kinesis Producer Library hold many user records: a magic number, a Protobuf message (1: partition
 * keys, 2: explicit hash keys, 3: records with 1: the index of the partition key, 2: that of the hash key, 3: data),
 * and the MD5 of the message.
 */
export interface UserRecord {
  partitionKey: string
  data: Buffer
}

const magic = Buffer.from([0xf3, 0x89, 0x9a, 0xc2])
const digestBytes = 16

/**
 * Null = the record is none of these. A user record that belongs to another shard is left out: the producer noticed
 * the mistake, and has sent it there as well.
 */
export function readAggregated(
  { data }: StreamRecord,
  { hashes }: Pick<Shard, 'hashes'>,
): UserRecord[] | null {
  if (data.length < magic.length + digestBytes || !data.subarray(0, 4).equals(magic)) return null
  const message = data.subarray(4, -digestBytes)
  if (!createHash('md5').update(message).digest().equals(data.subarray(-digestBytes))) return null
  const keys: string[] = []
  const hashKeys: bigint[] = []
  const found: UserRecord[] = []
  try {
    for (const { field, bytes } of fieldsOf(message)) {
      if (field === 1) keys.push(bytes.toString())
      else if (field === 2) hashKeys.push(BigInt(bytes.toString()))
      else if (field === 3) {
        const { key, hash, data: own } = readUserRecord(bytes)
        const partitionKey = keys[key] ?? ''
        const place = hash === null ? hashOf(partitionKey) : (hashKeys[hash] ?? 0n)
        if (place >= hashes.first && place <= hashes.last) found.push({ partitionKey, data: own })
      }
    }
  } catch {
    return null
  }
  return found
}

function readUserRecord(bytes: Buffer): { key: number; hash: number | null; data: Buffer } {
  const record = { key: 0, hash: null as number | null, data: Buffer.alloc(0) }
  for (const { field, number, bytes: data } of fieldsOf(bytes)) {
    if (field === 1) record.key = number
    else if (field === 2) record.hash = number
    else if (field === 3) record.data = data as Buffer<ArrayBuffer>
  }
  return record
}

/** Shards have ranges of the MD5 of partition keys, as a number. */
const hashOf = (partitionKey: string): bigint =>
  BigInt(`0x${createHash('md5').update(partitionKey).digest('hex')}`)

function* fieldsOf(message: Buffer): Generator<{ field: number; number: number; bytes: Buffer }> {
  for (let at = 0; at < message.length; ) {
    const tag = readVarint(message, at, message.length)
    const start = endOfVarint()
    const number = readVarint(message, start, message.length)
    at = endOfVarint()
    const isBytes = (tag & 7) === 2
    if (!isBytes && (tag & 7) !== 0) throw new RangeError('the field has another type')
    if (isBytes && at + number > message.length) throw new RangeError('the field is cut off')
    yield { field: tag >>> 3, number, bytes: message.subarray(at, isBytes ? at + number : at) }
    if (isBytes) at += number
  }
}

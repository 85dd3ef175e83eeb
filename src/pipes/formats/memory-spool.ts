import type { RejectedSample, Sample, Spool } from '../source.ts'
import { encodeBlock } from './avro/encode.ts'

/** How many rejected records a sample has, and how much of each. */
const kept = { records: 5, bytes: 1_000 }

/** A spool of some records that only become a sample; `sample` is null while there are none. */
export function createMemorySpool(): Spool & { sample(): Sample | null } {
  const parts: Buffer[] = []
  const rejected: RejectedSample[] = []
  let [bytes, format] = [0, '']
  let settings: Record<string, string> = {}
  let container: Uint8Array | undefined
  return {
    get records() {
      return parts.length
    },
    get bytes() {
      return bytes
    },
    format(name, given = {}, head) {
      format = name
      settings = given
      container = head
    },
    append(record) {
      parts.push(Buffer.from(record.bytes))
      bytes += record.bytes.length
    },
    reject({ raw, reason }) {
      if (rejected.length < kept.records)
        rejected.push({ raw: Buffer.from(raw.subarray(0, kept.bytes)).toString(), reason })
    },
    async discard() {},
    sample() {
      if (parts.length === 0 && rejected.length === 0) return null
      const all = container && parts.length > 0 ? [container, encodeBlock(parts)] : parts
      const whole = Buffer.concat(all)
      return { kind: 'bytes', format, bytes: whole, settings, ...(rejected.length > 0 && { rejected }) }
    },
  }
}

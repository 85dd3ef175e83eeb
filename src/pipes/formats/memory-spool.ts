import type { Sample, Spool } from '../source.ts'

/** A spool of some records that only become a sample; `sample` is null while there are none. */
export function createMemorySpool(): Spool & { sample(): Sample | null } {
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

const none = new Uint8Array()

import type { RawWithin } from '../source.ts'
import { scanJsonObject } from './json-object.ts'
import type { RecordFormat, RecordLane, ValueRecord } from './record-format.ts'

const [lineBreak, space, openBrace, comma, hyphen] = [0x0a, 0x20, 0x7b, 0x2c, 0x2d]
const [quote, backslash] = [0x22, 0x5c]

/**
 * Records as lines of JSONEachRow. The text of an object stays as it is, except for virtual fields, which go in
 * front of the object's own, and line breaks between tokens, which become spaces.
 */
export function createJsonFormat<R extends ValueRecord>(lane: RecordLane<R>): RecordFormat<R> {
  const { virtual, source } = lane
  const taken = virtual.map((name) => Buffer.from(`${name}"`))
  let line = Buffer.allocUnsafe(64 * 1024)

  return {
    prepare: async () => {},
    begin(spool) {
      spool.format('JSONEachRow')
      return {
        write(record) {
          const { value } = record
          const position = lane.positionOf(record)
          const scan = scanJsonObject(value)
          if (!scan.isObject) {
            spool.reject({ source, position, raw: value, code: 'parse', reason: explain(value) })
            return true
          }
          const extra = virtual.length === 0 ? none : encodeVirtual(lane, record)
          const size = value.length + extra.length + 2
          if (line.length < size) line = Buffer.allocUnsafe(2 * size)
          let end = value.length
          let raw: Uint8Array | RawWithin | undefined = scan.hasLineBreaks ? value : undefined
          if (extra.length === 0) line.set(value)
          else {
            const start = value.indexOf(openBrace) + 1
            line.set(value.subarray(0, start))
            line.set(extra, start)
            end = start + extra.length
            if (scan.hasFields) line[end++] = comma
            line.set(value.subarray(start), end)
            for (const key of scan.underscoredKeys) renameKey(line, end - start + key, taken)
            const from = end
            end += value.length - start
            const isKept = raw === undefined && scan.underscoredKeys.length === 0
            raw = isKept ? { head: value.subarray(0, start), from, to: end } : value
          }
          if (scan.hasLineBreaks) spaceOut(line, end)
          line[end++] = lineBreak
          const bytes = line.subarray(0, end)
          spool.append({ source, position, bytes, ...(raw && { raw }) })
          return true
        },
        end: () => {},
      }
    },
  }
}

const none = Buffer.alloc(0)

/** A key of the record that has the name of a virtual field would be a second value of the same field. */
function renameKey(line: Buffer, at: number, taken: readonly Buffer[]): void {
  if (taken.some((name) => name.equals(line.subarray(at, at + name.length)))) line[at] = hyphen
}

function spaceOut(line: Buffer, end: number): void {
  for (let at = line.indexOf(lineBreak); at >= 0 && at < end; at = line.indexOf(lineBreak, at + 1)) {
    line[at] = space
  }
}

function encodeVirtual<R extends ValueRecord>(lane: RecordLane<R>, record: R): Buffer {
  const parts: Buffer[] = []
  lane.virtual.forEach((name, index) => {
    parts.push(Buffer.from(`${index === 0 ? '' : ','}"${name}":`))
    const value = lane.valueOf(name, record)
    if (!Array.isArray(value)) parts.push(encodeValue(value))
    else {
      const items = value.flatMap((item, at) => [Buffer.from(at === 0 ? '' : ','), encodeValue(item)])
      parts.push(Buffer.from('['), ...items, Buffer.from(']'))
    }
  })
  return Buffer.concat(parts)
}

const encodeValue = (value: number | Buffer | null): Buffer =>
  value instanceof Buffer ? quoteBytes(value) : Buffer.from(String(value))

/** A JSON string with any bytes: the engine does not ask for UTF-8. */
function quoteBytes(bytes: Buffer): Buffer {
  const text = Buffer.allocUnsafe(2 + 6 * bytes.length)
  let at = 0
  text[at++] = quote
  for (const byte of bytes) {
    if (byte < space) at += text.write(`\\u00${byte.toString(16).padStart(2, '0')}`, at, 'latin1')
    else {
      if (byte === quote || byte === backslash) text[at++] = backslash
      text[at++] = byte
    }
  }
  text[at++] = quote
  return text.subarray(0, at)
}

/** What a JSON parser says about a value that is not one object. */
function explain(value: Buffer): string {
  if (value.length === 0) return 'the value is empty'
  try {
    const parsed: unknown = JSON.parse(value.toString())
    const kind = parsed === null ? 'null' : Array.isArray(parsed) ? 'an array' : `a ${typeof parsed}`
    return kind === 'a object' ? 'the object is nested too deeply' : `the value is ${kind}, not an object`
  } catch (error) {
    // The parser's messages quote the text, which is kept beside the reason anyway.
    return `not JSON: ${(error as Error).message.replace(/, ?[".].*$/s, '').slice(0, 200)}`
  }
}

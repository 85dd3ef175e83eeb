import type { ChangesSection } from '../source.ts'
import { escapeField, isClean } from './texts.ts'

/** Assembles lines of tab-separated fields, of which each is copied into its section at once. */
export interface Line {
  /** A text of Postgres, and a tab. */
  field(bytes: Buffer, start: number, end: number, mayNeedEscapes: boolean): void
  /** What can stand in a line as it is, and a tab. */
  plain(bytes: Uint8Array): void
  /** The version of a row, whether that is a tombstone, and the end of the line; `id` stands before the end. */
  finish(version: bigint, isDeleted: boolean, id?: string): void
}

const [tab, newline, backslash, zero] = [0x09, 0x0a, 0x5c, 0x30]
const lineBytes = 64 * 1024
/** Longer fields do not go through the memory of a line. */
const fieldBytes = 8 * 1024
const restBytes = 64
const maxExact = BigInt(Number.MAX_SAFE_INTEGER)

/** By bytes: the letter that stands for one after a backslash, or 0. */
const letters = new Uint8Array(256)
letters[tab] = 0x74
letters[newline] = 0x6e
letters[0x0d] = 0x72
letters[backslash] = backslash

const line = Buffer.allocUnsafeSlow(lineBytes)
const digits = new Uint8Array(20)

export function startLine(section: ChangesSection): Line {
  let used = 0

  function flush(): void {
    section.write(line, 0, used)
    used = 0
  }

  /** A field that is longer than the memory of a line. */
  function long(bytes: Uint8Array, start: number, end: number): void {
    flush()
    if (isClean(bytes, start, end)) section.write(bytes, start, end)
    else {
      const text = escapeField(bytes, start, end)
      section.write(text, 0, text.length)
    }
  }

  function put(bytes: Uint8Array): void {
    if (bytes.length > lineBytes - restBytes - used) flush()
    if (bytes.length > fieldBytes) section.write(bytes, 0, bytes.length)
    else {
      line.set(bytes, used)
      used += bytes.length
    }
  }

  return {
    field(bytes, start, end, mayNeedEscapes) {
      const length = end - start
      if (2 * length > lineBytes - restBytes - used) flush()
      if (length > fieldBytes) long(bytes, start, end)
      else if (mayNeedEscapes && !isHarmless(bytes, start, end)) used = escapeInto(bytes, start, end, used)
      else used = copy(bytes, start, end, used)
      line[used++] = tab
    },
    plain(bytes) {
      put(bytes)
      line[used++] = tab
    },
    finish(version, isDeleted, id) {
      if (restBytes + (id?.length ?? 0) > lineBytes - used) flush()
      used = writeNumber(version, used)
      line[used++] = tab
      line[used++] = isDeleted ? zero + 1 : zero
      if (id !== undefined) {
        line[used++] = tab
        used += line.write(id, used, 'latin1')
      }
      line[used++] = newline
      flush()
      section.rows += 1
    },
  }
}

function isHarmless(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    if (byte < 0x20 || byte === backslash) return false
  }
  return true
}

/** Returns the place after the copy. Few bytes are faster one by one. */
function copy(bytes: Buffer, start: number, end: number, used: number): number {
  let to = used
  if (end - start > 24) return to + bytes.copy(line, to, start, end)
  for (let at = start; at < end; at++) line[to++] = bytes[at] as number
  return to
}

/** Returns the place after the field. */
function escapeInto(bytes: Buffer, start: number, end: number, used: number): number {
  let to = used
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    const letter = letters[byte] as number
    if (letter !== 0) line[to++] = backslash
    line[to++] = letter === 0 ? byte : letter
  }
  return to
}

/** Returns the place after the digits. */
function writeNumber(value: bigint, at: number): number {
  if (value > maxExact) return at + line.write(String(value), at, 'latin1')
  let [rest, count] = [Number(value), 0]
  do {
    const next = Math.floor(rest / 10)
    digits[count++] = rest - 10 * next
    rest = next
  } while (rest > 0)
  let to = at
  while (count > 0) line[to++] = zero + (digits[--count] as number)
  return to
}

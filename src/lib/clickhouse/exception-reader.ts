/**
 * Finds the block that `exceptionBlock` puts at the end of a body. It runs in browsers too. What may be the begin of a
 * block is held back until more bytes come.
 */
export interface ExceptionReader {
  /** Returns the bytes that are surely data, of this piece and of those that were held back. */
  take(piece: Uint8Array): Uint8Array
  /** What is held back; data, if no block has begun when the body ends. */
  readonly kept: Uint8Array
  readonly hasBegun: boolean
  /** The whole block was read. */
  readonly isWhole: boolean
  /** The text of the block, as far as it was read. */
  text(): string
}

/** `tag` is the one in the answer's head. */
export function createExceptionReader(tag: string): ExceptionReader {
  const mark = new TextEncoder().encode(`\r\n__exception__\r\n${tag}\r\n`)
  const end = ` ${tag}\r\n__exception__\r\n`
  let kept: Uint8Array = new Uint8Array()
  let hasBegun = false
  const block = () => new TextDecoder().decode(kept.subarray(mark.length))
  return {
    get kept() {
      return kept
    },
    get hasBegun() {
      return hasBegun
    },
    get isWhole() {
      return hasBegun && block().includes(end)
    },
    take(piece) {
      const bytes = kept.length === 0 ? piece : joined(kept, piece)
      const at = hasBegun ? 0 : placeOf(mark, bytes)
      hasBegun ||= at + mark.length <= bytes.length
      kept = bytes.subarray(at, hasBegun ? at + maxBlockBytes : undefined)
      return bytes.subarray(0, at)
    },
    text() {
      const text = block()
      const at = text.indexOf(` ${tag}\r\n`)
      // The length of the text stands on a line of its own before the tag.
      return (at < 0 ? text : text.slice(0, text.lastIndexOf('\n', at))).trim()
    },
  }
}

/** More than ClickHouse writes: it cuts the text at 16 KiB. */
const maxBlockBytes = 64 * 1024

/** Where the mark begins, or where the bytes end with a part of it; their length = nowhere. */
function placeOf(mark: Uint8Array, bytes: Uint8Array): number {
  for (let at = bytes.indexOf(mark[0] ?? 0); at >= 0; at = bytes.indexOf(mark[0] ?? 0, at + 1)) {
    let same = 1
    while (same < mark.length && at + same < bytes.length && bytes[at + same] === mark[same]) same += 1
    if (same === mark.length || at + same === bytes.length) return at
  }
  return bytes.length
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}

import { Transform, type TransformCallback } from 'node:stream'
import { QueryError } from './query-error.ts'

/** So many bytes wait for their reader before the replica is paused. */
const highWaterMark = 64 * 1024
/** More than ClickHouse writes: it cuts the text at 16 KiB. */
const maxBlockBytes = 64 * 1024
const noBytes: Buffer = Buffer.alloc(0)

/**
 * The body of an answer. A query that fails in the middle of its answer ends it with a block:
 * `__exception__`, the tag from the answer's head, and the text. That block is no data; the stream fails with
 * its error.
 */
export class AnswerBody extends Transform {
  /** '' = the head had no tag. */
  tag = ''
  /** The whole answer was written and read. */
  isWhole = false
  private kept = noBytes
  private isBroken = false
  private isBlock = false

  constructor() {
    super({ highWaterMark })
    this.once('end', () => {
      this.isWhole = true
    })
  }

  /** Ends an incomplete answer; ClickHouse also breaks off after an exception block. */
  breakOff(): void {
    this.isBroken = true
    this.end()
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.tag === '') {
      done(null, chunk)
      return
    }
    const bytes = this.kept.length === 0 ? chunk : Buffer.concat([this.kept, chunk])
    if (this.isBlock) {
      this.kept = bytes.subarray(0, maxBlockBytes)
      done()
      return
    }
    const mark = this.mark
    const at = bytes.indexOf(mark)
    this.isBlock = at >= 0
    const end = this.isBlock ? at : bytes.length - lengthOfPartialEnd(bytes, mark)
    this.kept = bytes.subarray(end)
    done(null, bytes.subarray(0, end))
  }

  override _flush(done: TransformCallback): void {
    if (!this.isBlock) {
      if (this.isBroken) done(new QueryError(210, 'The answer broke off: the replica went away'))
      else done(null, this.kept)
      return
    }
    const text = this.kept.subarray(this.mark.length).toString()
    const message = text.slice(0, text.lastIndexOf(`\n`, text.indexOf(` ${this.tag}\r\n`))).trim()
    const code = Number(/^Code: (\d+)/.exec(message)?.[1] ?? 0)
    done(new QueryError(code, message))
  }

  private get mark(): Buffer {
    return Buffer.from(`\r\n__exception__\r\n${this.tag}\r\n`)
  }
}

/** The length of a suffix that may be the beginning of the mark. */
function lengthOfPartialEnd(bytes: Buffer, mark: Buffer): number {
  const from = Math.max(0, bytes.length - mark.length + 1)
  for (let at = bytes.indexOf(mark[0] ?? 0, from); at >= 0; at = bytes.indexOf(mark[0] ?? 0, at + 1)) {
    if (mark.subarray(0, bytes.length - at).equals(bytes.subarray(at))) return bytes.length - at
  }
  return 0
}

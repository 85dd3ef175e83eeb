import { Transform, type TransformCallback } from 'node:stream'
import { QueryError } from './query-error.ts'

/** So much waits for its reader before the replica does. */
const highWaterMark = 64 * 1024
/** More than ClickHouse writes, which cuts the text at 16 KiB. */
const maxBlockBytes = 64 * 1024
const noBytes: Buffer = Buffer.alloc(0)

/**
 * The body of an answer. A query that fails in the middle of it ends it with a block, `__exception__`, the tag that the
 * head has told, and the text: that block is no data, and the stream fails with what it says.
 */
export class AnswerBody extends Transform {
  /** '' = none was told. */
  tag = ''
  /** Everything was written, and read. */
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

  /** Nothing more comes, and what came is not all; ClickHouse does so after the block of an exception too. */
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

/** How many bytes at the end may be the beginning of the mark. */
function lengthOfPartialEnd(bytes: Buffer, mark: Buffer): number {
  const from = Math.max(0, bytes.length - mark.length + 1)
  for (let at = bytes.indexOf(mark[0] ?? 0, from); at >= 0; at = bytes.indexOf(mark[0] ?? 0, at + 1)) {
    if (mark.subarray(0, bytes.length - at).equals(bytes.subarray(at))) return bytes.length - at
  }
  return 0
}

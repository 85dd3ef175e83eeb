import { Transform, type TransformCallback } from 'node:stream'
import { createExceptionReader, type ExceptionReader } from '../../lib/clickhouse/exception-reader.ts'
import { QueryError } from './query-error.ts'

/** So many bytes wait for their reader before the replica is paused. */
const highWaterMark = 64 * 1024

/**
 * The body of an answer. A query that fails in the middle of its answer ends it with a block:
 * `__exception__`, the tag from the answer's head, and the text. That block is no data; the stream fails with
 * its error.
 */
export class AnswerBody extends Transform {
  /** The whole answer was written and read. */
  isWhole = false
  private exception: ExceptionReader | null = null
  private isBroken = false

  constructor() {
    super({ highWaterMark })
    this.once('end', () => {
      this.isWhole = true
    })
  }

  /** '' = the head had no tag. */
  set tag(tag: string) {
    this.exception = tag === '' ? null : createExceptionReader(tag)
  }

  /** Ends an incomplete answer; ClickHouse also breaks off after an exception block. */
  breakOff(): void {
    this.isBroken = true
    this.end()
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    done(null, this.exception ? this.exception.take(chunk) : chunk)
  }

  override _flush(done: TransformCallback): void {
    if (!this.exception?.hasBegun) {
      if (this.isBroken) done(new QueryError(210, 'The answer broke off: the replica went away'))
      else done(null, this.exception?.kept)
      return
    }
    const message = this.exception.text()
    const code = Number(/^Code: (\d+)/.exec(message)?.[1] ?? 0)
    done(new QueryError(code, message))
  }
}

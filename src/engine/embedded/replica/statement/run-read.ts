import type { Statement } from '../../../../lib/clickhouse/statement.ts'
import { EngineError } from '../../engine-error.ts'
import type { EngineResult } from '../engine/library.ts'
import { readStatistics } from '../engine/statistics.ts'
import type { ResultFifos } from '../fifo/result-fifos.ts'
import type { Answer } from '../http/answer.ts'
import type { Encoding } from '../http/encodings.ts'
import type { Spool } from '../http/spool.ts'
import { withOutfile } from './rewrite.ts'

export interface SmallReadOptions {
  sql: string
  statement: Statement
  /** The client's own text, which may differ from `sql`. */
  asWritten: string
  /** SQL that runs before the statement. */
  prefix: string
  format: string
  answer: Answer
  /** Aborted when the client disconnects. */
  gone: AbortSignal
  run: (sql: string, format?: string | null) => Promise<EngineResult>
  cancel: () => void
}

export interface ReadOptions extends SmallReadOptions {
  fifos: ResultFifos
  /** The compression that the engine applies to the result. */
  encoding: Encoding | null
  /** Holds the result until the statement has ended; null = the result is streamed. */
  spool: Spool | null
}

/** A client that reads nothing for this long counts as dead. */
const stallMs = 300_000

/**
 * Runs a statement with a result of any size. The engine writes the result into a FIFO, which is read as fast as the
 * client reads the answer. The engine does not stop by itself when the client is gone, so the statement is cancelled.
 */
export async function runRead(options: ReadOptions): Promise<EngineResult> {
  const { sql, statement, prefix, format, encoding, answer, spool, gone, run } = options
  const fifo = await options.fifos.take()
  let stall: NodeJS.Timeout | undefined
  let unkept: unknown
  const onGone = () => {
    clearTimeout(stall)
    // Drains the FIFO into nothing: the engine notices the cancellation only once its write has ended.
    fifo.resume()
    options.cancel()
  }
  let last: Buffer = Buffer.alloc(0)
  const sink = (chunk: Buffer): boolean => {
    // The last 512 bytes may span two chunks; they are copied because `answer.give` takes the chunk away.
    last = Buffer.concat([last, chunk.subarray(-512)]).subarray(-512)
    if (gone.aborted || unkept !== undefined) return true
    if (spool !== null) {
      try {
        spool.write(chunk)
      } catch (error) {
        // The disk may be full: only this statement fails.
        unkept = error
        options.cancel()
      }
      return true
    }
    if (answer.give(chunk)) return true
    stall = setTimeout(onGone, stallMs)
    return false
  }
  answer.onDrain = () => {
    clearTimeout(stall)
    fifo.resume()
  }
  fifo.begin(sink)
  gone.addEventListener('abort', onGone, { once: true })
  let result: EngineResult
  try {
    result = await run(prefix + withOutfile(sql, statement, { path: fifo.path, format, encoding }))
  } catch (error) {
    if (!isAboutOurs(error)) throw unkept ?? error
    // Either the engine reports here what is wrong with the client's own text, or this kind of statement has no
    // INTO OUTFILE; the result of such a statement is small.
    result = await run(prefix + options.asWritten, format)
    if (sql !== options.asWritten) throw error
    sink(result.bytes)
  } finally {
    gone.removeEventListener('abort', onGone)
    fifo.finish()
    clearTimeout(stall)
    options.fifos.giveBack(fifo)
  }
  if (unkept !== undefined) throw unkept
  return withScanned(result, format, last)
}

/** Runs a statement whose result fits in memory: a FIFO would cost more than the rest of a small statement. */
export async function runSmallRead(options: SmallReadOptions): Promise<EngineResult> {
  const { sql, statement, prefix, format, answer, gone, run, cancel } = options
  gone.addEventListener('abort', cancel, { once: true })
  try {
    const result = await run(prefix + sql.slice(0, statement.bodyEnd), format)
    answer.write(result.bytes)
    return withScanned(result, format, result.bytes)
  } catch (error) {
    if (sql !== options.asWritten && isAboutOurs(error)) await run(prefix + options.asWritten, format)
    throw error
  } finally {
    gone.removeEventListener('abort', cancel)
  }
}

function withScanned(result: EngineResult, format: string, end: Buffer): EngineResult {
  const scanned = readStatistics(format, end)
  return scanned === null ? result : { ...result, scanned }
}

/** Whether an error may quote what the replica added: INTO OUTFILE, or the subquery for `system.processes`. */
const isAboutOurs = (error: unknown): boolean =>
  error instanceof EngineError && (error.code === 62 || error.message.includes('granary_at'))

/** Sends a spooled result. */
export async function sendSpool(spool: Spool, answer: Answer, gone: AbortSignal): Promise<void> {
  for await (const chunk of spool.read()) {
    if (gone.aborted) return
    if (answer.write(chunk)) continue
    await new Promise<void>((resolve) => {
      answer.onDrain = resolve
      gone.addEventListener('abort', () => resolve(), { once: true })
    })
  }
}

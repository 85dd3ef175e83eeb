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
  /** As the client wrote it, if that is something else. */
  asWritten: string
  /** Comes before the statement. */
  prefix: string
  format: string
  answer: Answer
  /** The client went away. */
  gone: AbortSignal
  run: (sql: string, format?: string | null) => Promise<EngineResult>
  cancel: () => void
}

export interface ReadOptions extends SmallReadOptions {
  fifos: ResultFifos
  /** What the engine compresses the result with. */
  encoding: Encoding | null
  /** Where the result waits for its end; null = it is sent as it comes. */
  spool: Spool | null
}

/** A client that takes nothing for so long has died without a word. */
const stallMs = 300_000

/**
 * Runs a statement that has a result of any size. The engine writes it into a FIFO, which is read as fast as the
 * client takes it. An engine whose reader is gone does not stop by itself, so it is told.
 */
export async function runRead(options: ReadOptions): Promise<EngineResult> {
  const { sql, statement, prefix, format, encoding, answer, spool, gone, run } = options
  const fifo = await options.fifos.take()
  let stall: NodeJS.Timeout | undefined
  let unkept: unknown
  const onGone = () => {
    clearTimeout(stall)
    // What still comes is dropped; the engine may wait for us to take it before it looks up.
    fifo.resume()
    options.cancel()
  }
  let last: Buffer = Buffer.alloc(0)
  const sink = (chunk: Buffer): boolean => {
    // A FIFO may be read to its end in two pieces; the chunk itself is given away.
    last = Buffer.concat([last, chunk.subarray(-512)]).subarray(-512)
    if (gone.aborted || unkept !== undefined) return true
    if (spool !== null) {
      try {
        spool.write(chunk)
      } catch (error) {
        // The disk is full, for one: this statement fails, and no other.
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
    // Either the engine tells here what is wrong with the statement as it was written, or this is a kind of
    // statement that has no INTO OUTFILE; the result of such is small.
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

/** Runs a statement whose result fits in memory: what a FIFO costs is more than all else that a small one takes. */
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

/** Whether an error may show what we made of the statement: INTO OUTFILE, a subquery with names of ours. */
const isAboutOurs = (error: unknown): boolean =>
  error instanceof EngineError && (error.code === 62 || error.message.includes('granary_at'))

/** Sends what waited for its end. */
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

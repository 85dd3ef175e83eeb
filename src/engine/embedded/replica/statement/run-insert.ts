import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { InsertHeader } from '../../../../lib/clickhouse/insert-header.ts'
import { releaseBuffer } from '../../../../lib/release-buffer.ts'
import { EngineError } from '../../engine-error.ts'
import type { Connections } from '../engine/connections.ts'
import type { EngineResult } from '../engine/library.ts'
import { type Fifos, openForWriting, resizeFifo, wideFifoBytes } from '../fifo/fifos.ts'
import { cutOff, type Head, readBodyError } from '../http/body.ts'
import type { Encoding } from '../http/encodings.ts'
import { needsFile } from '../http/read-work.ts'
import { withDataFile } from '../http/spool.ts'
import { insertFromFile } from './rewrite.ts'
import type { RunningStatement } from './running.ts'

export interface InsertOptions {
  fifos: Fifos
  spoolDir: string
  header: InsertHeader
  /** The client's text before the data; '' = the statement is the replica's own. */
  text: string
  /** SQL that runs before the statement. */
  prefix: string
  data: Head
  /** The compression of the data, which the engine undoes. */
  encoding: Encoding | null
  running: RunningStatement
  run: (sql: string) => Promise<EngineResult>
  parse: Connections['parse']
}

/** A client that sends nothing for this long counts as dead. */
const stallMs = 300_000

/**
 * Inserts the data of a client. Data that has arrived completely, or whose format is read from its end, goes through a
 * file; other data streams through a FIFO, as fast as the engine reads it.
 *
 * The engine takes end-of-file on the FIFO for the end of the data. So when a client breaks off, the statement is killed
 * before the FIFO is closed, and no row of the block being read is inserted. (Earlier blocks, of a million rows each,
 * may be in the table already, as with a server.)
 */
export async function runInsert(options: InsertOptions): Promise<EngineResult> {
  const { text, prefix, run, parse } = options
  try {
    return await insert(options)
  } catch (error) {
    if (text === '' || !(error instanceof EngineError) || error.code !== 62) throw error
    // If the client's text is invalid, the engine reports the error for that text; otherwise the data is wrong.
    const [parsed] = await parse([text])
    if (parsed?.isValid === false) await run(prefix + text)
    throw error
  }
}

async function insert(options: InsertOptions): Promise<EngineResult> {
  const { header, prefix, data, encoding, run, running } = options
  const sqlFor = (path: string) => prefix + insertFromFile(header, { path, encoding })
  const { rest } = data
  if (rest === null || needsFile(header)) {
    return withDataFile(options.spoolDir, data, (path) => run(sqlFor(path)))
  }
  const path = await options.fifos.take()
  try {
    const result = run(sqlFor(path))
    // `result` is awaited below; this keeps an earlier rejection from counting as unhandled.
    result.catch(() => undefined)
    const broken = await feed({ path, first: data.bytes, rest, running, result })
    const done = await result.catch((error: unknown) => {
      throw broken ?? error
    })
    // The engine may have read enough to succeed, but the client's data is incomplete.
    if (broken !== null) throw broken
    return done
  } finally {
    options.fifos.giveBack(path)
  }
}

interface Feed {
  path: string
  first: Buffer
  rest: Readable
  running: RunningStatement
  result: Promise<unknown>
}

/** Resolves when the engine has got all data or reads no more; with the reason if the data broke off. */
async function feed({ path, first, rest, running, result }: Feed): Promise<Error | null> {
  const fd = await openForWriting(path, () => running.hasEnded)
  if (fd === null) {
    rest.resume()
    return null
  }
  resizeFifo(fd, wideFifoBytes)
  const fifo = new Socket({ fd, readable: false, writable: true })
  // The buffers of a request can be released once written; a decoder may still use its own.
  const isOnce = rest instanceof IncomingMessage
  let stall: NodeJS.Timeout | undefined
  const take = (chunk: Buffer) => {
    stall?.refresh()
    if (!fifo.write(chunk, (error) => error || !isOnce || releaseBuffer(chunk))) rest.pause()
  }
  const broken = await new Promise<Error | null>((resolve) => {
    stall = setTimeout(() => resolve(cutOff()), stallMs)
    const settle = (reason: Error | null) => {
      clearTimeout(stall)
      resolve(reason)
    }
    rest.once('end', () => fifo.end(() => settle(null)))
    rest.once('error', (error) => settle(readBodyError(error)))
    rest.once('close', () => rest.readableEnded || settle(cutOff()))
    // The engine has closed its side, and its result says why.
    fifo.once('error', () => settle(null))
    result.then(
      () => settle(null),
      () => settle(null),
    )
    if (rest.destroyed && !rest.readableEnded) settle(cutOff())
    fifo.on('drain', () => rest.resume())
    fifo.write(first)
    rest.on('data', take).resume()
  })
  rest.off('data', take)
  if (broken !== null) await running.cancel()
  fifo.destroy()
  // Discards the rest of the body, so that the client gets to read the answer.
  rest.resume()
  return broken
}

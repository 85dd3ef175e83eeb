/**
 * Answers that are sent while they are produced. An error before the first piece is an ordinary error. After
 * the first piece the status is sent: a stream of lines ends with a line that holds the error in the format of
 * its API (a stream of events with an event `error`). Any other stream is cut off, which its reader notices by
 * the missing last chunk; before that it ends as an answer of ClickHouse does, with a block that holds the error and
 * the tag from its head (`lib/clickhouse/exception-block.ts`). The producer is asked for the next piece only when the
 * connection has taken the previous ones.
 */
import { once } from 'node:events'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { AppError } from '../domain/errors.ts'
import { brokenLingerMs } from '../lib/answer-end.ts'
import { exceptionBlock, exceptionTag } from '../lib/clickhouse/exception-block.ts'

/** How pieces and a late error are written; null = the format has no place for an error. */
export interface StreamForm {
  type: string
  piece(item: unknown): string | Uint8Array
  error: ((text: string) => string) | null
}

/** `write` writes one item as JSON. Of lines, a text is JSON already; of events, null is an empty comment. */
export function streamForm(
  answer: 'ndjson' | 'events' | { type: string },
  write: (item: unknown) => string,
): StreamForm {
  if (answer === 'ndjson')
    return {
      type: 'application/x-ndjson; charset=utf-8',
      piece: (item) => `${typeof item === 'string' ? item : write(item)}\n`,
      error: (text) => `${text}\n`,
    }
  if (answer === 'events')
    return {
      type: 'text/event-stream; charset=utf-8',
      // A comment: it keeps the connection alive, and readers of events skip it.
      piece: (item) => (item === null ? ':\n\n' : `data: ${write(item)}\n\n`),
      error: (text) => `event: error\ndata: ${text}\n\n`,
    }
  return { type: answer.type, piece: (item) => item as string | Uint8Array, error: null }
}

/** Resolves when the first piece is ready. `explain` logs a later error and words it for the caller. */
export async function sendStream(
  reply: FastifyReply,
  items: AsyncIterable<unknown>,
  form: StreamForm,
  explain: (thrown: Error) => object,
): Promise<FastifyReply> {
  const iterator = items[Symbol.asyncIterator]()
  const first = await iterator.next()
  if (!reply.hasHeader('content-type')) reply.type(form.type)
  // Proxies would otherwise buffer lines that the reader waits for.
  reply.header('cache-control', 'no-store').header('x-accel-buffering', 'no')
  const tag = exceptionTag()
  if (!form.error) reply.header('x-clickhouse-exception-tag', tag)
  const pieces = Readable.from(written(), { objectMode: false, highWaterMark: 64 * 1024 })
  return reply.send(pieces)

  async function* written(): AsyncGenerator<string | Uint8Array> {
    let isOver = false
    try {
      for (let next = first; !next.done; next = await iterator.next()) yield form.piece(next.value)
      isOver = true
    } catch (error) {
      isOver = true
      if (reply.raw.destroyed) return
      const told = explain(error as Error)
      if (form.error) return yield form.error(JSON.stringify(told))
      yield exceptionBlock(JSON.stringify(told), tag)
      await once(reply.raw, 'close', { signal: AbortSignal.timeout(brokenLingerMs) }).catch(() => undefined)
      throw error
    } finally {
      // The caller has disconnected: this ends the producer even if it does not listen to the signal.
      if (!isOver) await iterator.return?.()
    }
  }
}

/** Aborts when the caller disconnects before the answer is complete, or the server stops. */
export function signalOf({ raw }: Pick<FastifyReply, 'raw'>, closing: AbortSignal): AbortSignal {
  const gone = new AbortController()
  const leave = () => {
    if (!raw.writableFinished) gone.abort(new AppError('BAD_REQUEST', 'the caller went away'))
  }
  if (raw.destroyed) leave()
  else raw.once('close', leave)
  return AbortSignal.any([gone.signal, closing])
}

/**
 * The answer to a statement as lines of JSON, written as the engine makes it and no faster than it is read:
 *
 *   {"kind":"waking"}                      the service sleeps or starts; repeated while that goes on
 *   {"kind":"progress",…}                  at most ten times a second; every second while nothing else comes
 *   {"kind":"columns","columns":[…]}       once, before the first row; absent where a statement has no result
 *   {"kind":"rows","rows":[[…],…]}         some rows; numbers of 64 bits and more, and decimals, are texts
 *   {"kind":"totals","row":[…]}            of WITH TOTALS
 *   {"kind":"done",…}                      last
 *
 * A failure is thrown as an AppError, maybe after some lines. A query with more rows than wanted ends there. The query
 * also ends when its reader stops to read.
 */
import { invalid } from '../domain/errors.ts'
import type { Asking, Question } from '../gateway/internal/ask.ts'
import type { InternalAnswer } from '../gateway/internal/internal-exchange.ts'
import { QueryError } from '../gateway/internal/query-error.ts'
import type { Clock } from '../lib/clock.ts'
import { failureOf } from './failure.ts'
import { type StatementRequest, urlParametersOf } from './request.ts'
import { type Batch, lineFormat, readBatches } from './result-lines.ts'

export interface StatementParts {
  ask: Asking['ask']
  clock: Clock
}

const tickMs = 1_000
const progressPauseMs = 100

/** Values arrive exact: JSON readers have no numbers of 64 bits, and no infinity. */
const exactValues = {
  output_format_json_quote_64bit_integers: '1',
  output_format_json_quote_decimals: '1',
  output_format_json_quote_denormals: '1',
  output_format_json_validate_utf8: '1',
}

export async function* runStatement(
  { ask, clock }: StatementParts,
  request: StatementRequest,
  maxRows: number,
): AsyncGenerator<string, void, void> {
  const startedAtMs = clock.now()
  const left = new AbortController()
  const { query, queryId } = request
  let heldMs = 0
  let progress: NonNullable<Batch['progress']> = { readRows: 0, readBytes: 0, totalRows: 0 }
  const elapsedMs = () => Math.max(0, clock.now() - startedAtMs - heldMs)
  const progressLine = () =>
    JSON.stringify({ kind: 'progress', ...progress, memoryBytes: null, elapsedMs: elapsedMs() })
  try {
    const waiting = createWaiting(clock)
    const signal = AbortSignal.any([request.signal, left.signal])
    const answering = ask({ ...questionOf(request, lineFormat, exactValues), signal, onHeld: waiting.held })
    answering.catch(() => {})
    while (await waiting.isStillFor(answering)) yield waiting.isHeld() ? wakingLine : progressLine()
    const answer = answered(await answering, request, lineFormat)
    heldMs = Number(answer.headers['x-granary-cold-start'] ?? 0)
    const written = Number(summaryOf(answer)['written_rows'] ?? 0)
    let toldAtMs = 0
    let rows = 0
    let isTruncated = false
    for await (const batch of readBatches(answer.body)) {
      if (batch.columns) yield JSON.stringify({ kind: 'columns', columns: batch.columns })
      progress = batch.progress ?? progress
      isTruncated = rows + batch.rows.length > maxRows
      const shown = isTruncated ? batch.rows.slice(0, maxRows - rows) : batch.rows
      rows += shown.length
      if (shown.length > 0) yield `{"kind":"rows","rows":[${shown.join()}]}`
      if (isTruncated) break
      if (batch.totals) yield `{"kind":"totals","row":${batch.totals}}`
      if (batch.progress && clock.now() - toldAtMs >= progressPauseMs) {
        toldAtMs = clock.now()
        yield progressLine()
      }
    }
    const { readRows, readBytes } = progress
    yield JSON.stringify({
      ...{ kind: 'done', rows, isTruncated, elapsedMs: elapsedMs(), readRows, readBytes },
      ...{ writtenRows: written, queryId },
    })
  } catch (error) {
    request.signal.throwIfAborted()
    throw error instanceof QueryError ? failureOf({ error, status: 0 }, query) : error
  } finally {
    left.abort(new Error('the answer is no longer read'))
  }
}

const wakingLine = '{"kind":"waking"}'

/** Whether the service is waited for, and when to tell that to the caller. */
function createWaiting(clock: Clock) {
  let isHeld = false
  let isTold = false
  let change = () => {}
  return {
    isHeld: () => isHeld,
    held(isHeldNow: boolean) {
      isHeld = isHeldNow
      if (isHeld && !isTold) change()
    },
    /** Resolves with true when there is something to tell, with false when the work is over. */
    async isStillFor(work: Promise<unknown>): Promise<boolean> {
      const pause = new AbortController()
      const changed = new Promise<true>((resolve) => {
        change = () => resolve(true)
        if (isHeld && !isTold) resolve(true)
      })
      const tick = clock.sleep(tickMs, pause.signal).then(() => true)
      const over = () => false
      const isStill = await Promise.race([work.then(over, over), changed, tick])
      pause.abort()
      isTold ||= isHeld
      return isStill
    },
  }
}

/** The question to the gateway. What the caller sets cannot change the form of the answer. */
export function questionOf(
  request: StatementRequest,
  format: string,
  settings: Readonly<Record<string, string>>,
): Question {
  const { serviceId, principal: name, isReadOnly, query, queryId } = request
  return {
    serviceId,
    principal: {
      name,
      role: isReadOnly ? 'readOnly' : 'readWrite',
      settings: { ...urlParametersOf(request), ...settings },
    },
    ...{ countsAsActivity: true, statement: query, format, queryId },
  }
}

/** Throws if the statement failed, or answers in a format of its own. */
export function answered(answer: InternalAnswer, request: StatementRequest, format: string): InternalAnswer {
  const { exception, status, headers, body } = answer
  if (exception) throw failureOf({ error: exception, status }, request.query)
  const own = headers['x-clickhouse-format'] ?? format
  if (own === format || headers['content-length'] === '0') return answer
  body.destroy()
  throw invalid([
    {
      ...{ path: ['query'], code: 'not_allowed' },
      message: `names the format ${own}: leave FORMAT out, or export the result`,
    },
  ])
}

function summaryOf({ headers }: InternalAnswer): Record<string, unknown> {
  return JSON.parse(headers['x-clickhouse-summary'] ?? '{}') as Record<string, unknown>
}

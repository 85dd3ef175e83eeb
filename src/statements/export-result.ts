import type { ExportFormat } from '../domain/service/statement.ts'
import { QueryError } from '../gateway/internal/query-error.ts'
import { failureOf } from './failure.ts'
import type { StatementRequest } from './request.ts'
import { answered, questionOf, type StatementParts } from './run-statement.ts'

const files = {
  CSVWithNames: { type: 'text/csv; charset=utf-8; header=present', extension: 'csv' },
  TSVWithNames: { type: 'text/tab-separated-values; charset=utf-8', extension: 'tsv' },
  JSONEachRow: { type: 'application/x-ndjson; charset=utf-8', extension: 'jsonl' },
  Parquet: { type: 'application/vnd.apache.parquet', extension: 'parquet' },
} satisfies Record<ExportFormat, object>

export interface Exported {
  type: string
  fileName: string
  /** Fails where the query fails in the middle of its result. */
  bytes: AsyncIterable<Uint8Array>
}

/** The whole result of a statement, as a file. `onEnd` is called once, when nothing more is sent. */
export async function exportResult(
  { ask }: StatementParts,
  request: StatementRequest,
  format: ExportFormat,
  onEnd: () => void,
): Promise<Exported> {
  const { type, extension } = files[format]
  try {
    const question = questionOf(request, format, {})
    const answer = answered(await ask({ ...question, signal: request.signal }), request, format)
    answer.body.once('close', onEnd)
    return { type, fileName: `query-${request.queryId}.${extension}`, bytes: wellFailing(answer.body) }
  } catch (error) {
    onEnd()
    request.signal.throwIfAborted()
    throw error
  }

  async function* wellFailing(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* body
    } catch (error) {
      request.signal.throwIfAborted()
      throw error instanceof QueryError ? failureOf({ error, status: 0 }, request.query) : error
    }
  }
}

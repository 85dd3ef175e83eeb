import type { ExportFormat } from '../domain/service/statement.ts'
import { QueryError } from '../gateway/internal/query-error.ts'
import { failureOf } from './failure.ts'
import type { StatementRequest } from './request.ts'
import { answered, questionOf, type StatementParts } from './run-statement.ts'

/** The type and the extension of files in a format; the first pattern that fits counts. */
const files: readonly (readonly [RegExp, string, string])[] = [
  [/^CSVWith/, 'text/csv; charset=utf-8; header=present', 'csv'],
  [/^CSV/, 'text/csv; charset=utf-8', 'csv'],
  [/^(?:TSV|TabSeparated)/, 'text/tab-separated-values; charset=utf-8', 'tsv'],
  [/^(?:JSON(?!Object).*EachRow|NDJSON|JSONLines)/, 'application/x-ndjson; charset=utf-8', 'jsonl'],
  [/^JSON/, 'application/json; charset=utf-8', 'json'],
  [/^XML/, 'application/xml; charset=utf-8', 'xml'],
  [/^Markdown/, 'text/markdown; charset=utf-8', 'md'],
  [/^SQLInsert/, 'application/sql; charset=utf-8', 'sql'],
  [/^(?:Pretty|Vertical|Values|TSKV|LineAsString)/, 'text/plain; charset=utf-8', 'txt'],
  [/^Parquet/, 'application/vnd.apache.parquet', 'parquet'],
  [/^Arrow/, 'application/vnd.apache.arrow.stream', 'arrow'],
  [/^ORC/, 'application/octet-stream', 'orc'],
  [/^Avro/, 'application/avro', 'avro'],
  [/^MsgPack/, 'application/vnd.msgpack', 'msgpack'],
  [/^BSON/, 'application/bson', 'bson'],
]
const anyFile = [/^/, 'application/octet-stream', 'bin'] as const

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
  const [, type, extension] = files.find(([form]) => form.test(format)) ?? anyFile
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

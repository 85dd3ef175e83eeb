import type { Asking } from '../gateway/internal/ask.ts'
import { QueryError } from '../gateway/internal/query-error.ts'
import { StatementError } from './failure.ts'
import { resultBytes, settingsOf, type TileLimits } from './limits.ts'
import type { HeldResults } from './result-room.ts'

/** A statement on a service, and who wants it. */
export interface Statement {
  serviceId: string
  /** Shown in the engine's list of processes, for example `tile:67…`. */
  principal: string
  sql: string
  /** The current database; absent = the default one. */
  database?: string
  settings?: Readonly<Record<string, string>>
  signal: AbortSignal
  /** Called again and again while the statement runs. */
  onProgress?(progress: Progress): void
  /** Where the result is counted; absent = the result is small. */
  held?: HeldResults
}

export interface Progress {
  rowsRead: number
  bytesRead: number
  /** What the engine expects to read. */
  totalRows: number
}

export interface StatementResult {
  columns: { name: string; type: string }[]
  rows: unknown[][]
  rowsRead: number
  bytesRead: number
  /** The service was idle and woke for the statement. */
  woken: boolean
  /** The replica that answered. */
  servedBy: string
}

export type RunStatement = (statement: Statement) => Promise<StatementResult>

/** Runs statements with a tile's limits. Fails with a QueryError. When the signal aborts, the statement ends. */
export function createRunStatement({
  ask,
  limits,
}: {
  ask: Asking['ask']
  limits: TileLimits
}): RunStatement {
  return async ({ serviceId, principal, sql, database, settings = {}, signal, onProgress, held }) => {
    const answer = await ask({
      serviceId,
      principal: {
        ...{ name: principal, role: 'readOnly' },
        settings: { ...settingsOf(limits), ...settings, ...(database === undefined ? {} : { database }) },
      },
      countsAsActivity: true,
      isSteady: true,
      statement: sql,
      format: 'JSONCompactEachRowWithProgress',
      signal,
    })
    const { exception } = answer
    if (exception) throw new StatementError(answer.status, exception.code, exception.message)
    const result: StatementResult = {
      ...{ columns: [], rows: [], rowsRead: 0, bytesRead: 0 },
      woken: answer.headers['x-granary-cold-start'] !== undefined,
      servedBy: answer.servedBy,
    }
    for await (const line of linesOf(answer.body, resultBytes(limits.memoryMb))) {
      const taken = JSON.parse(line) as Line
      take(taken, result, onProgress)
      if (taken.row) held?.add(line.length + taken.row.length * valueBytes)
    }
    return result
  }
}

/** About what a value takes beside its text, in its row and in the answer. */
const valueBytes = 40

/** A line of the format. Numbers of 64 bits are texts. */
interface Line {
  meta?: { name: string; type: string }[]
  row?: unknown[]
  progress?: { read_rows?: string; read_bytes?: string; total_rows_to_read?: string }
  exception?: string
}

function take(line: Line, result: StatementResult, onProgress: Statement['onProgress']): void {
  if (line.row) result.rows.push(line.row)
  else if (line.meta) result.columns = line.meta
  else if (line.progress) {
    result.rowsRead = Number(line.progress.read_rows ?? 0)
    result.bytesRead = Number(line.progress.read_bytes ?? 0)
    const totalRows = Number(line.progress.total_rows_to_read ?? 0)
    onProgress?.({ rowsRead: result.rowsRead, bytesRead: result.bytesRead, totalRows })
  } else if (line.exception) throw new QueryError(codeOf(line.exception), line.exception)
}

const codeOf = (message: string): number => Number(/Code: (\d+)/.exec(message)?.[1] ?? 0)

async function* linesOf(body: AsyncIterable<Buffer>, mostBytes: number): AsyncGenerator<string> {
  let bytes = 0
  let rest: Buffer[] = []
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new QueryError(396, `the result has more than ${mostBytes} bytes`)
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      rest.push(chunk.subarray(start, end))
      yield Buffer.concat(rest).toString('utf8')
      rest = []
      start = end + 1
    }
    if (start < chunk.length) rest.push(chunk.subarray(start))
  }
  if (rest.length > 0) yield Buffer.concat(rest).toString('utf8')
}

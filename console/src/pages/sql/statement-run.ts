/**
 * One statement that runs, or the last one that ran, of a query tab. Rows are kept up to `shownRows`; the array grows in
 * place, and `rowCount` tells. A run that was left or cancelled ends the query on the server too.
 */
import { signal } from '@preact/signals'
import { type ApiError, toApiError } from '../../api/api-error.ts'
import { call, stream } from '../../api/call.ts'
import type { Piece } from '../../api/operations.ts'
import { randomId } from '../../lib/random-id.ts'
import type { Statement } from '../../lib/sql-statements.ts'

export const shownRows = 10_000

type Line = Piece<'services.query'>
export type Progress = Extract<Line, { kind: 'progress' }>
export type Done = Extract<Line, { kind: 'done' }>
export type ResultColumn = { name: string; type: string }

export type RunState =
  | { kind: 'none' }
  | { kind: 'waking' }
  | { kind: 'running'; progress: Progress | null }
  | { kind: 'done'; done: Done }
  | { kind: 'cancelled' }
  | { kind: 'failed'; error: ApiError }

export type StatementRun = ReturnType<typeof createStatementRun>

export function createStatementRun() {
  const state = signal<RunState>({ kind: 'none' })
  const columns = signal<readonly ResultColumn[]>([])
  const rowCount = signal(0)
  let rows: (readonly unknown[])[] = []
  let totals: readonly unknown[] | null = null
  let statement: Statement | null = null
  let current: { queryId: string; serviceId: string; left: AbortController; isCancelled: boolean } | null =
    null

  const isRunning = () => state.value.kind === 'waking' || state.value.kind === 'running'

  function take(line: Line): void {
    if (line.kind === 'waking') state.value = { kind: 'waking' }
    else if (line.kind === 'progress') state.value = { kind: 'running', progress: line }
    else if (line.kind === 'columns') columns.value = line.columns
    else if (line.kind === 'totals') totals = line.row
    else if (line.kind === 'done') state.value = { kind: 'done', done: line }
    else {
      for (const row of line.rows) rows.push(row)
      rowCount.value = rows.length
    }
  }

  return {
    state,
    columns,
    rowCount,
    isRunning,
    rows: () => rows,
    totals: () => totals,
    /** What runs, or ran last. */
    statement: () => statement,

    async start(serviceId: string, asked: Statement): Promise<void> {
      if (isRunning()) return
      const own = { queryId: randomId(), serviceId, left: new AbortController(), isCancelled: false }
      current = own
      statement = asked
      rows = []
      totals = null
      rowCount.value = 0
      columns.value = []
      state.value = { kind: 'running', progress: null }
      try {
        const lines = stream('services.query', {
          params: { serviceId },
          body: { query: asked.text, queryId: own.queryId, maxRows: shownRows },
          signal: own.left.signal,
        })
        for await (const line of lines) take(line)
        if (isRunning()) throw new Error('The answer broke off before its end.')
      } catch (thrown) {
        const error = toApiError(thrown)
        const isCancelled = own.isCancelled || error.code === 'CANCELLED'
        state.value = isCancelled ? { kind: 'cancelled' } : { kind: 'failed', error }
      }
    },

    /** The query is told to end; its answer is left after two seconds at the latest. */
    async cancel(): Promise<void> {
      const own = current
      if (!own || !isRunning()) return
      own.isCancelled = true
      const { queryId, serviceId } = own
      const signal = AbortSignal.timeout(2_000)
      // A query that is not found has ended, or waits for its service: leaving its answer ends it.
      await call('services.cancelQuery', { params: { serviceId, queryId }, signal }).catch(() => {})
      own.left.abort()
    },

    /** The page is left. */
    leave(): void {
      if (current) current.isCancelled = true
      current?.left.abort()
    },
  }
}

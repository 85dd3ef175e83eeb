import { AppError, notFound } from '../domain/errors.ts'
import type { ExportFormat } from '../domain/service/statement.ts'
import { quoteString } from '../lib/clickhouse/identifiers.ts'
import { type Exported, exportResult } from './export-result.ts'
import { failureOf } from './failure.ts'
import type { StatementRequest } from './request.ts'
import { questionOf, runStatement, type StatementParts } from './run-statement.ts'

/** Statements that callers of the API send to services. */
export interface Statements {
  /** Lines of JSON, see run-statement.ts. */
  run(request: StatementRequest, maxRows: number): AsyncGenerator<string, void, void>
  /** Resolves when the result begins; the caller reads it to its end, or leaves it. */
  export(request: StatementRequest, format: ExportFormat): Promise<Exported>
  /** Ends a query that this or another control process has sent. `isAwake` = replicas of the service may run it. */
  cancel(request: Omit<StatementRequest, 'query'>, isAwake: boolean): Promise<void>
}

export function createStatements(parts: StatementParts): Statements {
  /** By service and id. A query that waits for its service is known here only. */
  const running = new Map<string, { principal: string; cancel(): void }>()

  return {
    async *run(request, maxRows) {
      using entered = enter(request)
      yield* runStatement(parts, { ...request, signal: entered.signal }, maxRows)
    },
    async export(request, format) {
      const entered = enter(request)
      const signal = entered.signal
      return exportResult(parts, { ...request, signal }, format, () => entered[Symbol.dispose]())
    },
    async cancel(request, isAwake) {
      const { principal, isReadOnly, queryId } = request
      const found = running.get(keyOf(request))
      if (found) {
        if (isReadOnly && found.principal !== principal) throw notYours()
        return found.cancel()
      }
      if (!isAwake) throw notFound('query')
      const query = `KILL QUERY WHERE query_id = ${quoteString(queryId)} ASYNC`
      const asked = { ...request, query, queryId: '' }
      const answer = await parts.ask({
        ...questionOf(asked, 'TSV', {}),
        countsAsActivity: false,
        signal: request.signal,
      })
      const { exception, status, body } = answer
      if (exception?.code === accessDenied) throw notYours()
      if (exception) throw failureOf({ error: exception, status }, query)
      let isFound = false
      for await (const _ of body) isFound = true
      if (!isFound) throw notFound('query')
    },
  }

  function enter(request: StatementRequest): Disposable & { signal: AbortSignal } {
    const key = keyOf(request)
    if (running.has(key)) throw new AppError('CONFLICT', 'a query of this id runs already')
    const cancelling = new AbortController()
    running.set(key, {
      principal: request.principal,
      cancel: () => cancelling.abort(new AppError('CANCELLED', 'the query was cancelled')),
    })
    return {
      signal: AbortSignal.any([request.signal, cancelling.signal]),
      [Symbol.dispose]: () => running.delete(key),
    }
  }
}

const accessDenied = 497
const keyOf = ({ serviceId, queryId }: { serviceId: string; queryId: string }) => `${serviceId} ${queryId}`
const notYours = () =>
  new AppError('FORBIDDEN', 'the query is of another key: services:manage is missing', {
    extra: { permission: 'services:manage' },
  })

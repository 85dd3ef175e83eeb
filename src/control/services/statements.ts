import { AppError, refuse } from '../../domain/errors.ts'
import { access } from '../../domain/key/permissions.ts'
import { type ExportFormat, namesIssues, statementLimits } from '../../domain/service/statement.ts'
import { newId } from '../../lib/ids.ts'
import type { Exported } from '../../statements/export-result.ts'
import type { ParameterValue, StatementRequest } from '../../statements/request.ts'
import type { Statements } from '../../statements/statements.ts'
import { type Caller, type ControlContext, loadService, requireUsable } from '../context.ts'

export interface StatementBody {
  query: string
  database?: string
  parameters?: Record<string, ParameterValue>
  settings?: Record<string, string | number | boolean>
  queryId?: string
}

/** Runs a statement of the caller; lines of JSON as the engine makes them. */
export async function runStatement(
  context: ControlContext,
  caller: Caller,
  serviceId: string,
  { maxRows = statementLimits.defaultRows, ...body }: StatementBody & { maxRows?: number },
  signal: AbortSignal,
): Promise<AsyncGenerator<string>> {
  const request = await requestOf(context, caller, serviceId, body, signal)
  return statementsOf(context).run(request, maxRows)
}

/** The whole result of a statement of the caller, as a file. */
export async function exportStatement(
  context: ControlContext,
  caller: Caller,
  serviceId: string,
  { format, ...body }: StatementBody & { format: ExportFormat },
  signal: AbortSignal,
): Promise<Exported> {
  const request = await requestOf(context, caller, serviceId, body, signal)
  return statementsOf(context).export(request, format)
}

/** Ends a query of the caller, or of anybody if the caller may manage the service. */
export async function cancelQuery(
  context: ControlContext,
  caller: Caller,
  { serviceId, queryId }: { serviceId: string; queryId: string },
  signal: AbortSignal,
): Promise<{ queryId: string }> {
  const { status } = await loadService(context.store, caller, serviceId)
  const isAwake = status.state === 'running' || status.state === 'degraded'
  const request = { serviceId, ...principalOf(caller, serviceId), queryId: queryId.toLowerCase(), signal }
  await statementsOf(context).cancel(request, isAwake)
  return { queryId }
}

async function requestOf(
  context: ControlContext,
  caller: Caller,
  serviceId: string,
  body: StatementBody,
  signal: AbortSignal,
): Promise<StatementRequest> {
  refuse(namesIssues(body))
  requireUsable(await loadService(context.store, caller, serviceId))
  const { queryId = newId(), ...statement } = body
  const who = principalOf(caller, serviceId)
  return { serviceId, ...who, ...statement, queryId: queryId.toLowerCase(), signal }
}

/** The engine's lists of queries show which key sent a statement. */
const principalOf = ({ key }: Caller, serviceId: string) => ({
  principal: `key:${key.id}`,
  isReadOnly: access(key, 'services:manage', serviceId) !== 'allowed',
})

function statementsOf({ statements }: ControlContext): Statements {
  if (statements) return statements
  throw new AppError('UNAVAILABLE', 'no engine runs here that could answer')
}

import { hasBodyText, isFormBody, textOfForm, textWithoutBody } from '../../lib/clickhouse/statement-text.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { readQueryText } from './query-text.ts'
import { planStatement, type StatementPlan } from './statement-plan.ts'

/** So much of a body is kept, to read the statement and to send a small body again. */
const maxKeptBytes = 256 * 1024

/** The plan from the URL alone; null = the body, which is not read yet, may change it. */
export function planOfUrl({ method, target, headers, body }: Exchange): StatementPlan | null {
  const isForm = isFormBody(method, headers.contentType)
  const plan = planStatement(isForm ? textOfForm(target.queries, []) : textWithoutBody(target.queries))
  const isAll = body.isWhole || !hasBodyText(method)
  return isAll || plan.isSettled ? plan : null
}

/**
 * Reads as much of the body as routing needs. `plan` is the plan from the URL. A body that is neither
 * inspected nor sent again stays on the connection.
 */
export async function readPlan(exchange: Exchange, plan: StatementPlan | null): Promise<StatementPlan> {
  const { body } = exchange
  if (!body.isWhole && body.isUntouched && (plan === null || plan.isRepeatable)) {
    await body.keep(maxKeptBytes, (bytes) => plan === null && planOf(exchange, bytes).isSettled)
  }
  return plan ?? planOf(exchange, body.bytes)
}

function planOf({ method, target, headers }: Exchange, bytes: Buffer): StatementPlan {
  return planStatement(readQueryText({ method, target, headers }, bytes))
}

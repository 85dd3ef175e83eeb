import type { Exchange } from './exchange.ts'
import { readQueryText } from './query-text.ts'
import { planStatement, type StatementPlan } from './statement-plan.ts'

/** So much of a body is kept: to read the statement, and to send a small one again. */
const maxKeptBytes = 256 * 1024

/**
 * Reads what must be known of a body before the request is sent on. `plan` is what the URL told of the statement;
 * null = nothing, the body begins with it. A body that nobody would look at or send twice stays on the connection.
 */
export async function readPlan(exchange: Exchange, plan: StatementPlan | null): Promise<StatementPlan> {
  const { body, headers, target } = exchange
  const planOf = (bytes: Buffer) => planStatement(readQueryText(bytes, headers, target.hasCompressedBody))
  if (!body.isWhole && body.isUntouched && (plan === null || plan.isRepeatable)) {
    await body.keep(maxKeptBytes, (bytes) => plan === null && planOf(bytes).isSettled)
  }
  return plan ?? planOf(body.bytes)
}

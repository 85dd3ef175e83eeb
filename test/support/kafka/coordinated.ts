import { errorCodes } from './error-codes.ts'
import type { Exchange } from './exchange.ts'

/** 0 if the node that was asked coordinates the group or transactional id; otherwise the error to answer. */
export function coordinationError({ cluster, node, injected }: Exchange, key: string): number {
  return injected || (cluster.coordinatorOf(key) === node ? 0 : errorCodes.notCoordinator)
}

import type { Need } from './choose-route.ts'
import type { StatementPlan } from './statement-plan.ts'

export interface NeedQuestion {
  /** null = the statement is in the body, which was not read yet. */
  plan: StatementPlan | null
  isPrimary: boolean
  /** The service, the user or the request is read-only, so the statement will not write. */
  isReadOnly: boolean
  /** `select_sequential_consistency` */
  isSequential: boolean
  hasSession: boolean
  /** The replica on which the session lives; '' = not known. */
  sessionAt: string
  /** The replica that this client wrote to a moment ago; '' = none. */
  wroteTo: string
  /** Readers may still show removed rows beside newer ones. */
  isBehind: boolean
  /** A reader lacked a table or file that the query needs. */
  isLacking: boolean
  /** The replica for questions that are to go to the same one; '' = any. */
  steadyAt: string
}

/** What kind of replica a query needs, and which one if there is a choice. */
export function needOf(question: NeedQuestion): { need: Need; preferred: string } {
  const { plan, isPrimary, isReadOnly, isSequential, hasSession, sessionAt } = question
  const { wroteTo, isBehind, isLacking, steadyAt } = question
  // Every replica refuses this statement with the engine's own error, so the writer need not be woken.
  const isRefused = isReadOnly && plan?.isWrite === true
  const writes = plan?.need === 'writer' && !isRefused
  if (hasSession) return { need: isPrimary || writes ? 'writer' : 'any', preferred: sessionAt }
  if (writes || isSequential) return { need: 'writer', preferred: '' }
  if (isLacking) return { need: 'writerFirst', preferred: '' }
  if (plan === null || isRefused) return { need: 'any', preferred: steadyAt }
  return wroteTo === '' && !isBehind
    ? { need: plan.need, preferred: steadyAt }
    : { need: 'ownWrites', preferred: wroteTo }
}

/**
 * Errors of a reader that the writer may not have: a reader follows the writer's tables with a lag, and the
 * writer may have merged away the files that it reads. First come unknown names, then missing files.
 */
export const lackingCodes: ReadonlySet<number> = new Set([
  8, // THERE_IS_NO_COLUMN
  10, // NOT_FOUND_COLUMN_IN_BLOCK
  16, // NO_SUCH_COLUMN_IN_TABLE
  36, // BAD_ARGUMENTS, said of an unknown dictionary
  46, // UNKNOWN_FUNCTION
  47, // UNKNOWN_IDENTIFIER
  60, // UNKNOWN_TABLE
  81, // UNKNOWN_DATABASE
  76, // CANNOT_OPEN_FILE
  107, // FILE_DOESNT_EXIST
  226, // NO_FILE_IN_DATA_PART
  232, // NO_SUCH_DATA_PART
  636, // CANNOT_EXTRACT_TABLE_STRUCTURE
  669, // NAMED_COLLECTION_DOESNT_EXIST
])

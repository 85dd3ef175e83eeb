import { describeStatement } from '../../lib/clickhouse/statement.ts'
import type { Need } from './choose-route.ts'

/** What routing needs to know of a statement. */
export interface StatementPlan {
  need: Need
  /** The statement changes what others see, so its sender expects to see the change from now on. */
  isWrite: boolean
  /** The statement may remove rows, so readers may show a mixture for a while. */
  mayRemove: boolean
  /** The statement may be sent again when it is unknown whether it was executed. */
  isRepeatable: boolean
  /** KILL QUERY: the query may run on any replica. */
  isKill: boolean
  /** The plan stays the same, however the text continues. */
  isSettled: boolean
}

/** Plans from the text of a statement, or its beginning. An unreadable statement may change anything. */
export function planStatement(text: string | null): StatementPlan {
  if (text === null) return change
  const { kind, verb, kills, temporary } = describeStatement(text)
  switch (kind) {
    case 'read':
      return { ...read, need: needOfRead(verb, text) }
    case 'empty':
      return read
    case 'session':
      return session
    case 'insert':
      return insert
    case 'kill':
      return kills === 'query' ? kill : change
    case 'ddl':
    case 'unknown':
      // A temporary table lives in the replica of its session.
      return temporary ? session : change
  }
}

const change: StatementPlan = {
  need: 'writer',
  isWrite: true,
  mayRemove: true,
  isRepeatable: false,
  isKill: false,
  isSettled: false,
}
const insert: StatementPlan = { ...change, mayRemove: false, isSettled: true }
const kill: StatementPlan = { ...change, isWrite: false, mayRemove: false, isKill: true }
const session: StatementPlan = { ...change, need: 'any', isWrite: false, mayRemove: false }
const read: StatementPlan = { ...session, isRepeatable: true }

function needOfRead(verb: string, text: string): Need {
  if (text.includes('select_sequential_consistency')) return 'writer'
  return describing.has(verb) || catalog.test(text) ? 'writerFirst' : 'any'
}

/** A reader's system tables show how it mirrors the writer, not what the user created. */
const describing: ReadonlySet<string> = new Set(['SHOW', 'DESCRIBE', 'EXISTS'])
const catalog = /\bsystem[`"]?\s*\.|\binformation_schema\b/i

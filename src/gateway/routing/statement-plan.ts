import { describeStatement } from '../../lib/clickhouse/statement.ts'
import type { Need } from './choose-route.ts'

/** What is to be known of a statement to send it on. */
export interface StatementPlan {
  need: Need
  /** It changes what others see, so whoever sent it expects to see it from now on. */
  isWrite: boolean
  /** It may take rows away, so readers may show a mixture for a while. */
  mayRemove: boolean
  /** It may be sent again when nobody knows whether it was carried out. */
  isRepeatable: boolean
  /** KILL QUERY: the query may run on any replica. */
  isKill: boolean
  /** The verdict stands, however the text goes on. */
  isSettled: boolean
}

/** From the text of a statement, or its beginning. What cannot be read may change anything. */
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
      // A temporary table lives where its session does.
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

/** A reader's own tables of tables show how it mirrors the writer, not what the user made. */
const describing: ReadonlySet<string> = new Set(['SHOW', 'DESCRIBE', 'EXISTS'])
const catalog = /\bsystem[`"]?\s*\.|\binformation_schema\b/i

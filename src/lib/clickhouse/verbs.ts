import { skipWith } from './clauses.ts'
import { advance, isPunctuation, isWord, type Lexer } from './lexer.ts'

export type StatementKind = 'read' | 'insert' | 'ddl' | 'session' | 'kill' | 'empty' | 'unknown'

/** What the first words of a statement say. */
export interface Verb {
  kind: StatementKind
  /** `SELECT`, `CREATE TABLE`, … out of a small fixed set (usable as a metric label); `UNKNOWN`, or ''. */
  verb: string
  isTemporary: boolean
  /** The kind of thing that the verb is about, or ''. */
  object: string
}

/** Reads the verb from the current token on; looks at a bounded number of tokens, except after WITH. */
export function readVerb(lexer: Lexer): Verb {
  if (lexer.kind === 'end') return { kind: 'empty', verb: '', isTemporary: false, object: '' }
  const isBracketed = isPunctuation(lexer, '(')
  while (isPunctuation(lexer, '(')) advance(lexer)
  const word = lexer.kind === 'word' ? upper(lexer) : ''
  const known = readVerbs.get(word)
  if (known !== undefined) return readingVerb(lexer, known)
  if (isBracketed && word !== 'WITH') return unknown
  switch (word) {
    case 'WITH': {
      const { leadsTo } = skipWith(lexer)
      if (leadsTo === 'select') return simple('read', 'SELECT')
      return leadsTo === 'insert' && !isBracketed ? simple('insert', 'INSERT') : unknown
    }
    case 'INSERT':
      return simple('insert', 'INSERT')
    case 'SET':
      advance(lexer)
      // Unlike SET ROLE, SET DEFAULT ROLE is stored with the user.
      if (isWord(lexer, 'default')) return simple('ddl', 'SET DEFAULT ROLE')
      return simple('session', isWord(lexer, 'role') ? 'SET ROLE' : 'SET')
    case 'KILL':
      advance(lexer)
      if (isWord(lexer, 'query')) return { ...simple('kill', 'KILL QUERY'), object: 'QUERY' }
      if (isWord(lexer, 'mutation')) return { ...simple('kill', 'KILL MUTATION'), object: 'MUTATION' }
      return simple('kill', 'KILL')
    case 'CHECK':
      advance(lexer)
      return isWord(lexer, 'grant') ? simple('read', 'CHECK GRANT') : simple('ddl', 'CHECK')
  }
  const session = sessionVerbs.get(word)
  if (session !== undefined) return simple('session', session)
  if (objectVerbs.has(word)) return aboutObject(lexer, word)
  return plainVerbs.has(word) ? simple('ddl', word) : unknown
}

function readingVerb(lexer: Lexer, verb: string): Verb {
  if (verb !== 'SHOW' && verb !== 'EXISTS') return simple('read', verb)
  return { ...aboutObject(lexer, verb), kind: 'read', verb }
}

/** CREATE OR REPLACE TEMPORARY TABLE: the words between the verb and its object are few. */
function aboutObject(lexer: Lexer, verb: string): Verb {
  let isTemporary = false
  let prefix = ''
  for (let i = 0; i < 5 && advance(lexer) === 'word'; i++) {
    const word = upper(lexer)
    if (word === 'TEMPORARY') isTemporary = true
    else if (prefixes.has(word)) prefix = `${word} `
    else if (objects.has(word)) {
      const object = objects.has(prefix + word) ? prefix + word : word
      return { kind: 'ddl', verb: `${verb} ${object}`, isTemporary, object }
    } else if (!fillers.has(word)) break
  }
  return { kind: 'ddl', verb, isTemporary, object: '' }
}

const upper = (lexer: Lexer): string => lexer.text.slice(lexer.start, lexer.end).toUpperCase()

const simple = (kind: StatementKind, verb: string): Verb => ({ kind, verb, isTemporary: false, object: '' })

const unknown = simple('unknown', 'UNKNOWN')

const wordSet = (words: string) => new Set(words.split(' '))

const readVerbs = new Map([
  ['SELECT', 'SELECT'],
  ['FROM', 'SELECT'],
  ['SHOW', 'SHOW'],
  ['DESCRIBE', 'DESCRIBE'],
  ['DESC', 'DESCRIBE'],
  ['EXISTS', 'EXISTS'],
  ['EXPLAIN', 'EXPLAIN'],
])

const sessionVerbs = new Map([
  ['USE', 'USE'],
  ['BEGIN', 'BEGIN'],
  ['START', 'BEGIN'],
  ['COMMIT', 'COMMIT'],
  ['ROLLBACK', 'ROLLBACK'],
])

const objectVerbs = wordSet('CREATE ALTER DROP RENAME EXCHANGE TRUNCATE ATTACH DETACH UNDROP REPLACE')
const plainVerbs = wordSet('BACKUP COPY DELETE GRANT MOVE OPTIMIZE RESTORE REVOKE SNAPSHOT SYSTEM UPDATE')
const prefixes = wordSet('MATERIALIZED LIVE WINDOW ROW MASKING SETTINGS NAMED')
const fillers = wordSet('OR REPLACE ALL CREATE')
const objects = new Set([
  ...wordSet('TABLE TABLES VIEW DATABASE DICTIONARY DICTIONARIES FUNCTION INDEX COLLECTION'),
  ...wordSet('USER ROLE QUOTA POLICY PROFILE WORKLOAD RESOURCE'),
  ...['MATERIALIZED VIEW', 'LIVE VIEW', 'WINDOW VIEW', 'NAMED COLLECTION'],
  ...['ROW POLICY', 'MASKING POLICY', 'SETTINGS PROFILE'],
])

import { EngineError } from '../engine-error.ts'
import { createCallRules, isValuesFormat } from './call-rules.ts'
import {
  backupPlaces,
  engines,
  evaluatingFunctions,
  layouts,
  refusedEngines,
  refusedFunctions,
  refusedTableFunctions,
  sources,
} from './names.ts'
import { isOpen, mayBeOpen, pastedKeys } from './pasted-texts.ts'
import { fixedSettings, plainWords, sqlSettings } from './settings.ts'
import type { Call, Token, Visitor } from './walk.ts'

export interface Rules extends Visitor {
  /** After the last token: the strings that the engine evaluates, and whether it evaluates values of substitutions. */
  end(): { texts: string[]; usesSubstitutions: boolean }
}

/** The rules for one text of SQL; `forbidden.ts` says why it is refused. */
export function createRules({
  isEvaluated,
  isStatement,
  refuse,
}: {
  /** The engine evaluates expressions in Values here, so, as in a definition, no call may read the format Values. */
  isEvaluated: boolean
  /** The text is a whole statement, not a string inside one and not data. */
  isStatement: boolean
  refuse: (what: string) => never
}): Rules {
  const seen = {
    definition: isEvaluated,
    dictionary: false,
    collection: false,
    backup: false,
    attach: false,
    view: false,
    select: false,
  }
  /** Every string of the text is checked as SQL. */
  let holdsSql = false
  const strings: string[] = []
  const calls = createCallRules({
    refuse,
    isDefinition: () => seen.definition,
    isView: () => seen.definition && seen.view,
  })

  function name(text: string, [one, two, three]: readonly [Token, Token, Token], inside: Call): void {
    notice(text, one)
    calls.noticeName(text, one)
    if (one.text === 'engine' || (one.text === '=' && two.text === 'engine')) {
      const before = one.text === 'engine' ? two : three
      // `WHERE engine = name` is no ENGINE clause, but a database may be called `where`.
      const isRefused = isInExpression(before) ? refusedEngines.has(text) : !engines.has(text)
      if (seen.definition && isRefused) refuse(`The engine ${text}`)
    }
    if (one.text === '(' && seen.dictionary) {
      if (inside.name === 'source' && !sources.has(text)) refuse(`The dictionary source ${text}`)
      if (inside.name === 'layout' && !layouts.has(text)) refuse(`The dictionary layout ${text}`)
    }
    if (one.text === 'security' && two.text === 'sql' && text === 'none') refuse('SQL SECURITY NONE')
    if (one.text === 'apply' || (one.text === '(' && two.text === 'apply')) {
      if (refusedFunctions.has(text) || evaluatingFunctions.has(text)) refuse(`The function ${text}`)
    }
    // A table may be called `restore` and be joined: FROM restore ALL INNER JOIN t.
    if (one.text === 'restore' && restored.has(text) && !beforeTables.has(two.text))
      refuse('RESTORE (a new service can begin with a backup)')
    setting(text, one, two)
    // Options of librdkafka name files and libraries.
    if (seen.collection && (text.startsWith('kafka.') || (one.text === '.' && two.text === 'kafka')))
      refuse('An option of librdkafka')
  }

  function notice(text: string, before: Token): void {
    if (definitions.has(text) && statementStarts.has(before.text)) seen.definition = true
    if (text === 'attach') seen.attach = true
    if (text === 'view') seen.view = true
    if (text === 'select') seen.select = true
    if (text === 'backup' || text === 'restore') seen.backup = true
    if (text === 'dictionary' && seen.definition) seen.dictionary = true
    if (text === 'collection' && before.text === 'named') seen.collection = true
    if (sqlSettings.has(text) || text.startsWith('param_')) holdsSql = true
  }

  function setting(text: string, one: Token, two: Token): void {
    if (fixedSettings.has(text) && !plainWords.has(text) && one.text !== '.') refuse(`The setting ${text}`)
    // The engine checks constraints only where a value is given, not for DEFAULT.
    if (text !== 'default' || one.text !== '=') return
    if (two.text === 'readonly' || fixedSettings.has(two.text))
      refuse(`The default of the setting ${two.text}`)
  }

  function opened(text: string, before: string, beforeThat: string): void {
    if (
      seen.backup &&
      (backupClauses.has(before) || text === 'file' || text === 'disk') &&
      !backupPlaces.has(text)
    )
      refuse(`A backup in ${text}`)
    if (text === 'disk' && before === '=') refuse('A disk of its own')
    const isRefused = refusedFunctions.has(text) || refusedTableFunctions.has(text)
    if (isRefused && !isTableName(before, beforeThat)) refuse(`The function ${text}`)
  }

  /** A table may be called `file`: INSERT INTO file (a), CREATE TABLE db.file (a Int32). DESCRIBE TABLE file(…) calls it. */
  function isTableName(before: string, beforeThat: string): boolean {
    // CREATE MATERIALIZED VIEW v TO file (a Int32), but not WITH FILL TO file(…).
    if (before === 'to') return seen.definition && seen.view && !seen.select
    if (before === 'table') return beforeThat !== 'describe' && beforeThat !== 'desc'
    return beforeTableNames.has(before)
  }

  return {
    token(token, previous, inside) {
      const { kind, text } = token
      if (kind === 'w') name(text, previous, inside)
      else if (kind === 's') {
        strings.push(text)
        if (seen.attach && previous[0].text === 'from') refuse('ATTACH … FROM a directory')
        if (seen.collection && isValuesFormat(text)) refuse('The format Values in a named collection')
        const isPasted =
          (seen.dictionary && !mayBeOpen.has(previous[0].text)) ||
          (seen.collection && pastedKeys.has(previous[1].text))
        if (isPasted && isOpen(text)) refuse('An open quote or comment in a text that becomes a part of SQL')
      } else if (kind === '\\' && isStatement) {
        throw new EngineError(62, 'SYNTAX_ERROR', 'Syntax error: Unrecognized token: \\')
      } else if (kind === '(' && previous[0].kind === 'w') {
        opened(previous[0].text, previous[1].text, previous[2].text)
      }
    },
    call: calls.call,
    lambda: calls.noticeParameters,
    end() {
      const { texts, usesSubstitutions } = calls.end()
      const isSql = holdsSql || seen.dictionary || seen.collection
      return { texts: isSql ? strings : texts, usesSubstitutions }
    },
  }
}

const isInExpression = ({ kind, text }: Token): boolean =>
  kind === 'w' ? beforeExpressions.has(text) : kind !== ')' && kind !== 's' && kind !== 'n'

const beforeExpressions = new Set('and by else having not on or prewhere select then when where'.split(' '))
const definitions = new Set(['create', 'attach', 'replace', 'alter'])
/** Texts of the token before a statement; '' before the first token. */
const statementStarts = new Set(['', ';', 'with', '('])
const restored = new Set(['all', 'table', 'dictionary', 'view', 'database', 'temporary'])
const beforeTables = new Set(['from', 'join', ',', '.'])
const backupClauses = new Set(['to', 'from', '='])
const beforeTableNames = new Set(['.', 'into', 'exists', 'view', 'dictionary'])

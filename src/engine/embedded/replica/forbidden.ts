import {
  advance,
  createLexer,
  isName,
  isPunctuation,
  isWord,
  type TokenKind,
} from '../../../lib/clickhouse/lexer.ts'
import { unquote } from '../../../lib/clickhouse/literals.ts'
import { fixedSettings } from './engine-config.ts'
import { EngineError } from './errors.ts'
import { filterSwitch } from './filter-switch.ts'

/**
 * Refuses SQL that would reach the files or programs of this machine in ways that the engine, being a library
 * here, does not guard by grants:
 * - the function `file(…)` reads any file;
 * - dictionaries may have a program, a file or a shared library as their source, and SQL in a string;
 * - `disk = disk(…)` and `EmbeddedRocksDB(…)` keep tables in any directory;
 * - `BACKUP … TO File(…)` reaches where the backups of all warehouses are;
 * - `RESTORE` makes whatever a backup says, and whoever has a bucket can write one that says any of the above;
 * - a `Filesystem` database tells which files there are, `executable(…)` where ours are;
 * - a `QueryRunner` table runs the SQL that is inserted into it;
 * - `readonly = DEFAULT` ends the read-only mode: the engine looks at constraints only where a value is given.
 * Names are compared as the engine unquotes them, because `"fi\x6ce"(…)` is a call too.
 */
export function refuseForbidden(sql: string): void {
  if (filterSwitch.isOff || !suspicious.test(sql)) return
  const what = findForbidden(sql)
  if (what === null) return
  throw new EngineError(
    497,
    'ACCESS_DENIED',
    `default: Not enough privileges. ${what} is not allowed in this warehouse`,
  )
}

/** Most SQL holds none of these and is not looked at further. */
const suspicious = /file|executable|library|source|disk|rocksdb|queryrunner|restore|default|\\x/i

export function findForbidden(sql: string): string | null {
  const lexer = createLexer(sql)
  const strings: string[] = []
  // Dictionaries and named collections may hold SQL in strings.
  let holdsSql = false
  let isBackup = false
  let [name, before, beforeThat] = ['', '', '']
  for (advance(lexer); lexer.kind !== 'end' && lexer.kind !== 'error'; advance(lexer)) {
    const token = sql.slice(lexer.start, lexer.end)
    if (lexer.kind === 'string' || lexer.kind === 'heredoc') strings.push(unquote(token))
    const text = isName(lexer) ? unquote(token).toLowerCase() : token
    isBackup ||= text === 'backup' || text === 'restore'
    holdsSql ||= text === 'dictionary' || (text === 'collection' && name === 'named')
    const isCall = isPunctuation(lexer, '(') && names.has(lexer.previousKind)
    const found =
      (isCall && isBackup && localPlaces.has(name) ? `A backup in ${name}` : null) ??
      (isCall ? forbiddenCall(name, before, holdsSql ? beforeThat : '') : null) ??
      (isName(lexer)
        ? (forbiddenEngine(text, name, before) ?? forbiddenRestore(text, name, before))
        : null) ??
      (isWord(lexer, 'default') && name === '=' ? forbiddenReset(before === '=' ? beforeThat : before) : null)
    if (found !== null) return found
    beforeThat = before
    before = name
    name = text
  }
  const texts = holdsSql ? strings.filter((text) => suspicious.test(text)) : []
  for (const text of texts) {
    const found = findForbidden(text)
    if (found !== null) return found
  }
  return null
}

function forbiddenCall(name: string, before: string, beforeThat: string): string | null {
  if (before === '(' && beforeThat === 'source' && !remoteSources.has(name)) {
    return `The dictionary source ${name}`
  }
  switch (name) {
    case 'file':
      // A table may be called so: INSERT INTO file (a), CREATE TABLE db.file (a Int32).
      return before === '.' || beforeTableNames.has(before) ? null : 'The function file'
    case 'executable':
      return before === '.' || beforeTableNames.has(before) ? null : 'The function executable'
    case 'disk':
      return before === '=' ? 'A disk of its own' : null
    case 'embeddedrocksdb':
      return before === '=' || before === 'engine' ? 'A directory for EmbeddedRocksDB' : null
    default:
      return null
  }
}

function forbiddenEngine(name: string, before: string, beforeThat: string): string | null {
  const isEngine = before === 'engine' || (before === '=' && beforeThat === 'engine')
  return isEngine && engines.has(name) ? `The table engine ${name}` : null
}

/** A table may be called so, and be joined: FROM restore ALL INNER JOIN t. */
function forbiddenRestore(name: string, before: string, beforeThat: string): string | null {
  const isRestore = before === 'restore' && restored.has(name) && !beforeTables.has(beforeThat)
  return isRestore ? 'RESTORE (a new service can begin with a backup)' : null
}

const forbiddenReset = (name: string): string | null =>
  guarded.has(name) ? `The default of the setting ${name}` : null

const guarded = new Set(['readonly', ...fixedSettings])
const restored = new Set(['all', 'table', 'dictionary', 'view', 'database', 'temporary'])
const beforeTables = new Set(['from', 'join', ',', '.'])
const names = new Set<TokenKind>(['word', 'identifier'])
const beforeTableNames = new Set(['table', 'into', 'exists', 'view', 'dictionary', 'to'])
const localPlaces = new Set(['file', 'disk'])
const engines = new Set(['queryrunner', 'executable', 'executablepool', 'filesystem'])
const remoteSources = new Set(
  'clickhouse mysql postgresql mongodb http redis cassandra odbc jdbc null'.split(' '),
)

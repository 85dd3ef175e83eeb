import { compileSqlSeries } from '../../../lib/where/sql-series.ts'
import { sqlTokens } from '../../../lib/where/sql-tokens.ts'
import { WhereError } from '../../../lib/where/where-error.ts'
import { dashboardLimits as limits } from '../limits.ts'
import { isObject, textOf } from './json.ts'
import type { Report } from './report.ts'

const macros = new Set([
  ...['timeFilter', 'timeFilter_ms', 'dateFilter', 'timeInterval', 'timeInterval_ms', 'conditionalAll'],
  ...['fromTime', 'fromTime_ms', 'toTime', 'toTime_ms', 'interval_s'],
])

/** The SQL of a query, as a series takes it; what will not run here is told. Null = it is too long. */
export function carrySql(rawSql: string, path: string, report: Report): string | null {
  const sql = rawSql
    .trim()
    .replace(/;\s*$/, '')
    // A list in quotes is what a variable here is anyway.
    .replaceAll(/\$\{(\w+):(?:singlequote|sqlstring)\}/g, '$${$1}')
  if (sql.length > limits.sqlLength) {
    report.add(path, 'rawSql', `the SQL has more than ${limits.sqlLength} characters`)
    return null
  }
  const unknown = new Set<string>()
  for (const [text, name = '', format] of sql.matchAll(
    /\$\{?(?:__(\w+))|\$\{\w+:(\w+)[^}]*\}|\[\[\w+\]\]/g,
  )) {
    if (format !== undefined || name === '' || !macros.has(name)) unknown.add(text)
  }
  for (const text of unknown) report.add(path, 'macro', `${text} has no meaning here`)
  for (const text of namesByVariable(sql))
    report.add(
      path,
      'variable',
      `${text} stands for more than a value, and a variable here is always a value`,
    )
  const refusal = unknown.size === 0 ? refusalOf(sql) : null
  if (refusal !== null) report.add(path, 'rawSql', `the SQL will not run: ${refusal}`)
  return sql
}

/** Variables where a name or a number must stand: `FROM $table`, `$database.logs`, `LIMIT $n`. */
function namesByVariable(sql: string): Set<string> {
  const found = new Set<string>()
  let before = ''
  const tokens = sqlTokens(sql).filter(({ kind }) => kind !== 'space' && kind !== 'comment')
  for (const [index, { kind, start, end, name }] of tokens.entries()) {
    const text = sql.slice(start, end)
    if (kind === 'identifier' && /\$\{?[A-Za-z]/.test(text)) found.add(text)
    const after = sql[tokens[index + 1]?.start ?? sql.length]
    if (kind === 'variable' && !name.startsWith('__') && (after === '.' || isBeforeName.test(before)))
      found.add(text)
    before = text
  }
  return found
}

const isBeforeName = /^(\.|from|join|by|limit|offset|interval)$/i

/** Why the statement is refused whatever the values of its variables; null = it is not. */
function refusalOf(sql: string): string | null {
  const names = [...sql.matchAll(/\$\{?([A-Za-z]\w*)/g)].map(([, name = '']) => [name, ''])
  try {
    compileSqlSeries(sql, Object.fromEntries(names), { startMs: 0, endMs: 60_000, stepSeconds: 1 })
    return null
  } catch (error) {
    if (!(error instanceof WhereError)) throw error
    return error.message
  }
}

/** Whether the SQL groups by time. */
export const hasTimeBuckets = (sql: string): boolean => /\$__timeInterval(_ms)?\b/.test(sql)

/** A data source that is not said to be of another kind is taken for ClickHouse. */
export function isClickHouse(...dataSources: unknown[]): boolean {
  const told = dataSources.find((each) => isObject(each) && textOf(each['type']) !== '')
  const type = isObject(told) ? textOf(told['type']) : ''
  return type === '' || type === 'datasource' || /clickhouse/i.test(type)
}

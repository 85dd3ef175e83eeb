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
  return sql
}

/** Whether the SQL groups by time. */
export const hasTimeBuckets = (sql: string): boolean => /\$__timeInterval(_ms)?\b/.test(sql)

/** A data source that is not said to be of another kind is taken for ClickHouse. */
export function isClickHouse(...dataSources: unknown[]): boolean {
  const told = dataSources.find((each) => isObject(each) && textOf(each['type']) !== '')
  const type = isObject(told) ? textOf(told['type']) : ''
  return type === '' || type === 'datasource' || /clickhouse/i.test(type)
}

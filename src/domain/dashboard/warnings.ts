import type { Query, Term } from '../../lib/where/ast.ts'
import { parseWhere } from '../../lib/where/parse.ts'
import { compileSqlSeries } from '../../lib/where/sql-series.ts'
import { compileSqlWhere } from '../../lib/where/sql-where.ts'
import { type Variables, valuesOf } from '../../lib/where/variables.ts'
import { WhereError } from '../../lib/where/where-error.ts'
import type { Issue } from '../issue.ts'
import { under } from '../issue.ts'
import { resolveSource, type SourceReference } from '../source/resolve.ts'
import { type SourceRecord, sourceKinds } from '../source/types.ts'
import type { DashboardContent, Series } from './types.ts'

/**
 * What will be wrong when the tiles are asked, as far as the texts alone tell: where-texts that do not parse,
 * unknown sources, undeclared variables. A dashboard may be written before its tables exist, so none of this
 * keeps it from being stored.
 */
export function dashboardWarnings(content: DashboardContent, sources: readonly SourceRecord[]): Issue[] {
  const declared = content.variables ?? []
  // Any text stands for a value here: only the names matter.
  const variables: Variables = Object.fromEntries(declared.map(({ name }) => [name, '']))
  const ofVariables = declared.flatMap(({ sql, dataSource = 'events' }, index) =>
    sql === undefined
      ? []
      : under(
          ['variables', index],
          [...sqlWarnings(sql, variables), ...unknownSource(sources, { dataSource })],
        ),
  )
  const ofTiles = content.tiles.flatMap((tile, index) =>
    tile.series.flatMap((series, place) =>
      under(['tiles', index, 'series', place], seriesWarnings(series, variables, sources)),
    ),
  )
  return [...ofTiles, ...ofVariables]
}

function seriesWarnings(series: Series, variables: Variables, sources: readonly SourceRecord[]): Issue[] {
  if (series.type === 'markdown') return []
  const { where, whereLanguage, sql } = series
  const check = () =>
    whereLanguage === 'sql' ? void compileSqlWhere(where, variables, anyRange) : checkLucene(where, variables)
  return [
    ...unknownSource(sources, series),
    ...warningsOf('where', check),
    ...(sql === undefined ? [] : sqlWarnings(sql, variables)),
  ]
}

const anyRange = { startMs: 0, endMs: 60_000, stepSeconds: 1 }

const sqlWarnings = (sql: string, variables: Variables): Issue[] =>
  warningsOf('sql', () => void compileSqlSeries(sql, variables, anyRange))

function unknownSource(sources: readonly SourceRecord[], reference: SourceReference): Issue[] {
  const isWord = reference.sourceId === undefined && isKind(reference.dataSource)
  // Without a default of a kind these words still mean something: the default that comes later.
  if (isWord) return []
  const found = resolveSource(sources, reference)
  return 'issue' in found ? [found.issue] : []
}

const isKind = (name: string): boolean => (sourceKinds as readonly string[]).includes(name)

function warningsOf(field: 'where' | 'sql', check: () => void): Issue[] {
  try {
    check()
    return []
  } catch (error) {
    if (!(error instanceof WhereError)) throw error
    const { code, message, position, suggestions } = error
    const near = suggestions.length > 0 ? { suggestions } : {}
    return [{ path: [field], code, message, position, ...near }]
  }
}

function checkLucene(text: string, variables: Variables): void {
  checkVariables(parseWhere(text), variables)
}

function checkVariables(query: Query, variables: Variables): void {
  if (query.kind === 'and' || query.kind === 'or')
    for (const part of query.parts) checkVariables(part, variables)
  else if (query.kind === 'not') checkVariables(query.part, variables)
  else if (query.kind === 'clause')
    for (const { name, at } of variablesIn(query.term)) valuesOf(variables, name, at)
}

function variablesIn(term: Term) {
  const values =
    term.kind === 'compare' ? [term.value] : term.kind === 'range' ? [term.low, term.high] : [term]
  return values.flatMap((value) => (value?.kind === 'variable' ? [value] : []))
}

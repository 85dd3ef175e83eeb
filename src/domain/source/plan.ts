import { nearestNames } from '../../lib/nearest.ts'
import { createFields } from '../../lib/where/fields.ts'
import { WhereError } from '../../lib/where/where-error.ts'
import type { Issue } from '../issue.ts'
import {
  defaultAliases,
  defaultImplicit,
  defaultMetric,
  defaultTimestamp,
  isText,
  isTime,
} from './defaults.ts'
import { sourceLimits } from './limits.ts'
import type { MetricColumns, SourceContent, SourceInput, SourceRecord, TableDescription } from './types.ts'

/** A source without the flag, which depends on the other sources. */
export type PlannedSource = Omit<SourceContent, 'isDefault'>

/** The source with its defaults filled in from the table, or everything that is wrong with the body. */
export function planSource(
  input: SourceInput,
  table: TableDescription,
): { source: PlannedSource } | { issues: Issue[] } {
  const { name, kind = 'events', serviceId } = input
  const issues: Issue[] = []
  const column = columnCheck(table, issues)
  const timestampColumn = input.timestampColumn ?? defaultTimestamp(table) ?? ''
  if (input.timestampColumn !== undefined)
    column(['timestampColumn'], timestampColumn, isTime, 'a date or time')
  else if (timestampColumn === '') {
    issues.push({
      path: ['timestampColumn'],
      code: 'required',
      message: 'the table has no column with a time',
    })
  }
  const implicitColumn = input.implicitColumn ?? defaultImplicit(table)
  if (implicitColumn !== '') column(['implicitColumn'], implicitColumn, isText, 'text')
  const aliases = input.aliases ?? defaultAliases(table, implicitColumn)
  issues.push(...aliasIssues(aliases, table))
  const metric = kind === 'metrics' ? planMetric(input.metric, table, column) : undefined
  if (kind === 'events' && input.metric !== undefined) {
    issues.push({ path: ['metric'], code: 'not_allowed', message: 'belongs to sources of metrics only' })
  }
  if (issues.length > 0) return { issues }
  const { database, table: tableName } = table
  const where = { serviceId, database, table: tableName }
  const source = { name, kind, ...where, timestampColumn, implicitColumn, aliases, ...(metric && { metric }) }
  return { source }
}

export function sourceNameIssues(name: string, others: readonly SourceRecord[]): Issue[] {
  const path = ['name']
  if (name === 'events' || name === 'metrics' || /^[0-9a-f]{24}$/i.test(name)) {
    return [{ path, code: 'invalid_value', message: 'cannot be events, metrics or 24 hex digits' }]
  }
  const key = name.toLowerCase()
  if (!others.some((other) => other.name.toLowerCase() === key)) return []
  return [{ path, code: 'duplicate', message: 'another source has this name' }]
}

/**
 * Whether a source is the default of its kind: the first one is unless it says otherwise, and one that says nothing
 * stays what it was.
 */
export function planDefault(
  { kind, isDefault }: { kind: SourceContent['kind']; isDefault?: boolean | undefined },
  others: readonly SourceRecord[],
  current: SourceRecord | null,
): boolean {
  if (isDefault !== undefined) return isDefault
  if (current?.kind === kind) return current.isDefault
  return !others.some((other) => other.kind === kind)
}

type ColumnCheck = (
  path: Issue['path'],
  name: string,
  fits?: (type: string) => boolean,
  what?: string,
) => void

function columnCheck({ columns }: TableDescription, issues: Issue[]): ColumnCheck {
  return (path, name, fits = () => true, what = '') => {
    const column = columns.find((each) => each.name === name)
    if (column && fits(column.type)) return
    if (column) issues.push({ path, code: 'invalid_value', message: `must be a column with ${what}` })
    else {
      const suggestions = nearestNames(
        name,
        columns.map((each) => each.name),
      )
      issues.push({ path, code: 'not_found', message: 'the table has no such column', suggestions })
    }
  }
}

function aliasIssues(aliases: Record<string, string>, { columns }: TableDescription): Issue[] {
  const fields = createFields({ columns })
  return Object.entries(aliases).flatMap(([alias, target]): Issue[] => {
    const path = ['aliases', alias]
    if (alias === '' || alias.length > sourceLimits.aliasLength) {
      const message = `must have 1 to ${sourceLimits.aliasLength} characters`
      return [{ path, code: 'invalid_value', message }]
    }
    try {
      fields.column(target, 0)
      return []
    } catch (error) {
      if (!(error instanceof WhereError)) throw error
      const { message, suggestions } = error
      return [{ path, code: 'not_found', message, suggestions }]
    }
  })
}

function planMetric(
  given: SourceInput['metric'] = {},
  table: TableDescription,
  column: ColumnCheck,
): MetricColumns {
  for (const field of ['name', 'value', 'bounds', 'counts'] as const) {
    const name = given[field]
    if (name !== undefined) column(['metric', field], name)
  }
  for (const [index, label] of (given.labels ?? []).entries()) column(['metric', 'labels', index], label)
  return { ...defaultMetric(table), ...given }
}

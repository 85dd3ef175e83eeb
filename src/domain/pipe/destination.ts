import type { Issue } from '../issue.ts'
import type { DestinationInput } from './input.ts'
import type { SourceKind } from './limits.ts'
import { duplicates, issue, missing, missingTexts, notAllowed } from './rule.ts'
import { sameValue } from './same.ts'
import type { FieldMapping, PipeDestination, TableDefinition } from './types.ts'

export function resolveDestination(input: DestinationInput): PipeDestination {
  return {
    database: input.database || 'default',
    table: input.table ?? '',
    managedTable: input.managedTable ?? true,
    tableDefinition: resolveDefinition(input.tableDefinition),
    columns: input.columns ?? [],
  }
}

/** When the engine's type is absent, it follows from the engine's columns that were sent. */
function resolveDefinition(input: DestinationInput['tableDefinition'] = {}): TableDefinition {
  const versionColumnId = input.engine?.versionColumnId ?? ''
  const columnIds = input.engine?.columnIds ?? []
  const inferred =
    versionColumnId !== '' ? 'ReplacingMergeTree' : columnIds.length > 0 ? 'SummingMergeTree' : 'MergeTree'
  return {
    engine: { type: input.engine?.type ?? inferred, versionColumnId, columnIds },
    sortingKey: input.sortingKey ?? [],
    partitionBy: input.partitionBy ?? '',
    primaryKey: input.primaryKey ?? '',
  }
}

/**
 * `kind` is undefined when the request names no source or several; then only rules for all kinds are checked.
 */
export function checkDestination(destination: PipeDestination, kind: SourceKind | undefined): Issue[] {
  if (kind === 'postgres') return checkUnused(destination)
  const issues = kind === undefined ? [] : missingTexts(destination, ['table'])
  const { columns } = destination
  if (kind !== undefined && columns.length === 0) {
    issues.push(missing(['columns'], 'At least one column is required.'))
  }
  for (const [index, column] of columns.entries()) {
    issues.push(...missingTexts(column, ['name', 'type']).map((item) => at(['columns', index], item)))
  }
  const names = columns.map((column) => column.name)
  issues.push(...duplicates(names, (index) => ['columns', index, 'name'], 'The column is declared twice.'))
  const definition = checkDefinition(destination.tableDefinition, new Set(names))
  return [...issues, ...definition.map((item) => at(['tableDefinition'], item))]
}

/** Every destination column must appear in `fieldMappings` once, and nothing else may. Paths are absolute. */
export function checkFieldMappings(
  columns: PipeDestination['columns'],
  mappings: readonly FieldMapping[],
): Issue[] {
  const declared = new Set(columns.map((column) => column.name))
  const mapped = new Set(mappings.map((mapping) => mapping.destinationField))
  const issues: Issue[] = []
  for (const [index, mapping] of mappings.entries()) {
    const path = ['fieldMappings', index]
    issues.push(...missingTexts(mapping, ['sourceField', 'destinationField']).map((item) => at(path, item)))
    if (mapping.destinationField !== '' && !declared.has(mapping.destinationField)) {
      const message = 'It names no column of destination.columns.'
      issues.push(issue([...path, 'destinationField'], 'not_found', message))
    }
  }
  const targets = mappings.map((mapping) => mapping.destinationField)
  const twice = 'Another mapping fills this column already.'
  issues.push(...duplicates(targets, (index) => ['fieldMappings', index, 'destinationField'], twice))
  for (const [index, column] of columns.entries()) {
    if (column.name === '' || mapped.has(column.name)) continue
    const message = `destination.columns[${index}] has no entry; all destination columns must appear here.`
    issues.push(missing(['fieldMappings'], message))
  }
  return issues
}

/** Database sources create their tables from the mappings and use only the database of the destination. */
function checkUnused({ table, columns, managedTable, tableDefinition }: PipeDestination): Issue[] {
  const message = 'Database sources do not use it; their tableMappings name the tables.'
  const issues: Issue[] = []
  if (table !== '') issues.push(notAllowed(['table'], message))
  if (columns.length > 0) issues.push(notAllowed(['columns'], message))
  if (!managedTable) issues.push(notAllowed(['managedTable'], message))
  if (!sameValue(tableDefinition, resolveDefinition())) issues.push(notAllowed(['tableDefinition'], message))
  return issues
}

function checkDefinition(definition: TableDefinition, declared: ReadonlySet<string>): Issue[] {
  const { engine, sortingKey, primaryKey, partitionBy } = definition
  const issues: Issue[] = []
  const named = (path: Issue['path'], name: string): void => {
    if (!declared.has(name))
      issues.push(issue(path, 'not_found', 'It names no column of destination.columns.'))
  }
  const version = ['engine', 'versionColumnId']
  if (engine.type === 'ReplacingMergeTree') {
    if (engine.versionColumnId === '') issues.push(missing(version, 'ReplacingMergeTree needs it.'))
    else named(version, engine.versionColumnId)
    // Rows with equal keys replace each other: without a key the table would keep a single row.
    if (sortingKey.length === 0 && primaryKey === '') {
      issues.push(missing(['sortingKey'], 'ReplacingMergeTree needs it.'))
    }
  } else if (engine.versionColumnId !== '') {
    issues.push(notAllowed(version, 'Only ReplacingMergeTree has a version column.'))
  }
  const sums = ['engine', 'columnIds']
  if (engine.type === 'SummingMergeTree') {
    if (engine.columnIds.length === 0)
      issues.push(missing(sums, 'SummingMergeTree needs the columns to add up.'))
    for (const [index, name] of engine.columnIds.entries()) named([...sums, index], name)
  } else if (engine.columnIds.length > 0) {
    issues.push(notAllowed(sums, 'Only SummingMergeTree has columns to add up.'))
  }
  for (const [index, name] of sortingKey.entries()) named(['sortingKey', index], name)
  issues.push(...duplicates(sortingKey, (index) => ['sortingKey', index], 'The column is named twice.'))
  if (engine.type === 'Null') {
    const message = 'A table that keeps nothing has no keys and no partitions.'
    if (sortingKey.length > 0) issues.push(notAllowed(['sortingKey'], message))
    if (primaryKey !== '') issues.push(notAllowed(['primaryKey'], message))
    if (partitionBy !== '') issues.push(notAllowed(['partitionBy'], message))
  }
  return issues
}

const at = (prefix: Issue['path'], item: Issue): Issue => ({ ...item, path: [...prefix, ...item.path] })

import { nearestNames } from '../../lib/nearest.ts'
import type { Issue } from '../issue.ts'
import { type SourceKind, type SourceRecord, sourceKinds } from './types.ts'

/** How a series or variable names its source. */
export interface SourceReference {
  /** An id; takes precedence over `dataSource`. */
  sourceId?: string | undefined
  dataSource: string
}

/**
 * The source that a series means, out of those of its organization: `sourceId`, else the default of a kind, else
 * an id, else a name (exact, then whatever the case). The path of an issue is the field's name.
 */
export function resolveSource(
  sources: readonly SourceRecord[],
  { sourceId, dataSource }: SourceReference,
): { source: SourceRecord } | { issue: Issue } {
  const given = sourceId ?? dataSource
  const source =
    sourceId === undefined && isKind(dataSource)
      ? sources.find(({ kind, isDefault }) => isDefault && kind === dataSource)
      : (byId(sources, given) ?? (sourceId === undefined ? byName(sources, dataSource) : undefined))
  if (source) return { source }
  const path = [sourceId === undefined ? 'dataSource' : 'sourceId']
  if (sourceId === undefined && isKind(dataSource)) {
    const message = `no source is the default of ${dataSource}`
    const suggestions = sources.filter(({ kind }) => kind === dataSource).map(({ name }) => name)
    return { issue: { path, code: 'not_found', message, suggestions: suggestions.slice(0, 5) } }
  }
  const names = sources.map(({ name }) => name)
  const suggestions = nearestNames(given, sourceId === undefined ? [...names, ...sourceKinds] : names)
  return { issue: { path, code: 'not_found', message: 'no such source', suggestions } }
}

const isKind = (name: string): name is SourceKind => (sourceKinds as readonly string[]).includes(name)

const byId = (sources: readonly SourceRecord[], id: string) =>
  sources.find((source) => source.id === id.toLowerCase())

function byName(sources: readonly SourceRecord[], name: string): SourceRecord | undefined {
  const key = name.toLowerCase()
  return (
    sources.find((source) => source.name === name) ??
    sources.find((source) => source.name.toLowerCase() === key)
  )
}

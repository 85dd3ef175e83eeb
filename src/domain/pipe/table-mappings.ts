import type { Issue } from '../issue.ts'
import { under } from '../issue.ts'
import type { PostgresPatchInput } from './input.ts'
import { checkMappings, resolveMapping } from './postgres.ts'
import { issue, notAllowed } from './rule.ts'
import type { TableMapping } from './types.ts'

/** Mappings are removed first, so that an added mapping can use a target table freed by a removed one. */
export function changeMappings(
  current: readonly TableMapping[],
  { tableMappingsToAdd = [], tableMappingsToRemove = [] }: PostgresPatchInput,
): { mappings: TableMapping[]; issues: Issue[] } {
  const removed = new Set(tableMappingsToRemove.map((mapping) => identity(resolveMapping(mapping))))
  const added = tableMappingsToAdd.map(resolveMapping)
  const known = new Set(current.map(identity))
  const issues: Issue[] = []
  for (const [index, mapping] of tableMappingsToRemove.entries()) {
    if (known.has(identity(resolveMapping(mapping)))) continue
    issues.push(issue(['tableMappingsToRemove', index], 'not_found', 'The pipe has no such mapping.'))
  }
  const kept = current.filter((mapping) => !removed.has(identity(mapping)))
  const targets = new Set(kept.map((mapping) => mapping.targetTable))
  issues.push(...under(['tableMappingsToAdd'], checkMappings(added)))
  for (const [index, mapping] of added.entries()) {
    const path = ['tableMappingsToAdd', index]
    if (removed.has(identity(mapping))) {
      // Removing and adding the same mapping would cancel out unnoticed: the stored table would stay as it was.
      issues.push(notAllowed(path, 'It is removed by the same request; add it again in a later one.'))
    } else if (targets.has(mapping.targetTable)) {
      const message = 'Another mapping writes into this table already.'
      issues.push(issue([...path, 'targetTable'], 'duplicate', message))
    }
  }
  // A faulty list is not merged, because the paths of its issues refer to the request and not to the result.
  return { mappings: issues.length > 0 ? [...current] : [...kept, ...added], issues }
}

const identity = (mapping: TableMapping): string =>
  JSON.stringify([mapping.sourceSchemaName, mapping.sourceTable, mapping.targetTable])

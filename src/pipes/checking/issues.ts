import type { Issue } from '../../domain/issue.ts'
import { fieldOf } from '../../domain/pipe/rejected.ts'
import type { CheckedPipe, DiscoveredField } from '../checks.ts'
import { virtualFields } from '../destination/load-objects.ts'
import { unknownFields } from '../destination/mapping.ts'
import { EngineFailure } from '../destination/questions.ts'
import type { Sample } from '../source.ts'

/** What is wrong with a pipe, at the fields of its request. */
export const wrong = (path: Issue['path'], message: string): Issue => ({
  path,
  code: 'invalid_value',
  message,
})

export const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`

/** Records that the engine cannot read are the source's matter; other failures are the server's. */
export const unreadable =
  (kind: string) =>
  (error: unknown): { issues: Issue[] } => {
    if (!(error instanceof EngineFailure) || error.meaning === 'retry') throw error
    return {
      issues: [wrong(['source', kind, 'format'], sentence(`the sample cannot be read: ${error.message}`))],
    }
  }

/** Records of which the source can give none to the engine. */
export function unreadRecords(kind: string, sample: Sample): Issue[] {
  if (sample.kind !== 'bytes' || sample.bytes.length > 0) return []
  const [first] = sample.rejected ?? []
  return [
    wrong(
      ['source', kind, 'format'],
      sentence(`no record of the sample can be read: ${first?.reason ?? ''}`),
    ),
  ]
}

export function namelessFields(format: string, mappings: CheckedPipe['spec']['fieldMappings']): Issue[] {
  const unknown = new Set(unknownFields(format, mappings, virtualFields))
  return mappings.flatMap(({ sourceField }, index) =>
    unknown.has(sourceField)
      ? [wrong(['fieldMappings', index, 'sourceField'], `Lines of ${format} have the fields c1, c2, ….`)]
      : [],
  )
}

/** The column whose field the engine names, or all columns. */
export function unfitPath(
  reason: string,
  { fieldMappings, destination }: CheckedPipe['spec'],
): Issue['path'] {
  const field = fieldOf(reason)
  const mapping = fieldMappings.find(({ sourceField }) => sourceField === field)
  const index = destination.columns.findIndex(({ name }) => name === mapping?.destinationField)
  return index < 0 ? ['destination', 'columns'] : ['destination', 'columns', index, 'type']
}

export function missingFields(
  fields: readonly DiscoveredField[],
  mappings: CheckedPipe['spec']['fieldMappings'],
): Issue[] {
  const names = fields.map(({ name }) => name)
  const isThere = (field: string) =>
    field.startsWith('_') ||
    names.some((name) => name === field || name.startsWith(`${field}.`) || field.startsWith(`${name}.`))
  return mappings.flatMap(({ sourceField }, index) => {
    if (isThere(sourceField)) return []
    const message = `No record of the sample has this field; it has ${names.slice(0, 20).join(', ') || 'none'}.`
    return [{ path: ['fieldMappings', index, 'sourceField'], code: 'not_found' as const, message }]
  })
}

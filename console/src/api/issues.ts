import type { ApiError, Issue } from './api-error.ts'

/** `source.kafka.brokers`, `tiles[3].name`: the name under which a field takes its issues. */
export function fieldOf(path: Issue['path']): string {
  let text = ''
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`
    else text += text === '' ? part : `.${part}`
  }
  return text
}

export interface SortedIssues {
  /** The first issue of each field that the form shows. */
  fields: Record<string, Issue>
  /** What concerns no field of the form, as sentences: the form shows them at its end. */
  others: string[]
}

/**
 * Sorts the issues of an error to the fields of a form. An issue inside a field that the form shows as one
 * (`ipAccessList[2].source` in `ipAccessList`) belongs to that field.
 */
export function sortIssues(error: ApiError, names: readonly string[]): SortedIssues {
  const sorted: SortedIssues = { fields: {}, others: [] }
  for (const issue of error.issues) {
    const path = fieldOf(issue.path)
    const name = names
      .filter((known) => path === known || path.startsWith(`${known}.`) || path.startsWith(`${known}[`))
      .sort((one, other) => other.length - one.length)[0]
    if (name === undefined) sorted.others.push(`${path}: ${issue.message}`)
    else sorted.fields[name] ??= issue
  }
  if (error.issues.length === 0) sorted.others.push(error.message)
  return sorted
}

import type { ApiError, Issue } from '../../api/api-error.ts'
import { fieldOf } from '../../api/issues.ts'

export interface PlacedIssues {
  /** By the path of a field that the wizard has. */
  fields: Record<string, string>
  /** What no field is for, with the path that the server named. */
  others: { path: string; message: string }[]
}

/**
 * Puts each issue on the field that it names; else, when it is about a part with several fields (`credentials`), on the
 * first of them; else on the field that it is inside of.
 */
export function placeIssues(error: ApiError, paths: readonly string[]): PlacedIssues {
  const placed: PlacedIssues = { fields: {}, others: [] }
  if (error.issues.length === 0) placed.others.push({ path: '', message: error.message })
  for (const issue of error.issues) {
    const path = fieldOf(issue.path.map(numbered))
    const field =
      paths.find((known) => known === path) ??
      paths.find((known) => !isWholeSource(path) && isInside(known, path)) ??
      paths.filter((known) => isInside(path, known)).sort((one, other) => other.length - one.length)[0]
    if (field === undefined) placed.others.push({ path, message: issue.message })
    else placed.fields[field] ??= issue.message
  }
  return placed
}

/** Checks of sources write the places of a list as texts. */
const numbered = (part: Issue['path'][number]) =>
  typeof part === 'string' && /^\d+$/.test(part) ? Number(part) : part

/** "The source has no records yet" is about none of its fields. */
const isWholeSource = (path: string): boolean => /^source(\.\w+)?$/.test(path)

const isInside = (path: string, part: string): boolean =>
  path.startsWith(`${part}.`) || path.startsWith(`${part}[`)

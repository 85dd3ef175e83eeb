import { ClientError } from '../../client/client-error.ts'
import { CliError, exitCodeOf } from '../failure.ts'

/** The most of a line that is shown around the place where it is wrong. */
const shownBefore = 60
const shownAfter = 40

/** A refused statement, with the line that is wrong and a mark below the place. */
export function markedFailure(error: unknown, query: string): unknown {
  if (!(error instanceof ClientError)) return error
  const place = placeOf(error.extra['position'])
  const suggestions = error.extra['suggestions']
  const hints = [
    ...(place ? markedLine(query, place) : []),
    ...(Array.isArray(suggestions) && suggestions.length > 0 ? [`maybe: ${suggestions.join(', ')}`] : []),
  ]
  if (hints.length === 0) return error
  return new CliError(exitCodeOf(error), error.code, error.message, [
    ...hints,
    ...(error.requestId ? [`request id: ${error.requestId}`] : []),
  ])
}

interface Place {
  line: number
  column: number
}

function placeOf(position: unknown): Place | null {
  const { line, column } = (position ?? {}) as Partial<Place>
  return typeof line === 'number' && typeof column === 'number' ? { line, column } : null
}

function markedLine(query: string, { line, column }: Place): string[] {
  const text = (query.split('\n')[line - 1] ?? '').replaceAll(/[\t\r]/g, ' ')
  const from = Math.max(0, column - 1 - shownBefore)
  const shown = text.slice(from, column - 1 + shownAfter)
  const label = `line ${line}: `
  return [`${label}${shown}`, `${' '.repeat(label.length + column - 1 - from)}^`]
}

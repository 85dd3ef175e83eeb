/** Why a where text is refused, and where: the offset counts UTF-16 units from 0. */
export class WhereError extends Error {
  readonly code: 'syntax' | 'not_found' | 'invalid_value'
  readonly position: number
  /** The nearest names, best first; empty unless a name is unknown. */
  readonly suggestions: readonly string[]

  constructor(
    code: WhereError['code'],
    message: string,
    position: number,
    suggestions: readonly string[] = [],
  ) {
    super(message)
    this.name = 'WhereError'
    this.code = code
    this.position = position
    this.suggestions = suggestions
  }
}

export const syntaxError = (message: string, position: number): WhereError =>
  new WhereError('syntax', message, position)

export const invalidValue = (message: string, position: number): WhereError =>
  new WhereError('invalid_value', message, position)

/** Text of the user, as messages quote it. */
export const shown = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text)

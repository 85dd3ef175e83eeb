/** One wrong field of a request. A request is answered with all of its issues at once. */
export interface Issue {
  /** Names and array positions from the root of the body, or `['path', name]`, `['query', name]`. */
  path: readonly (string | number)[]
  code: IssueCode
  /** A sentence for a person; it never repeats the value that was sent, which may be a secret. */
  message: string
  /** Where the issue is about a text in a language: the offset in it, in UTF-16 units from 0. */
  position?: number
  /** Where a name is unknown: the nearest names, best first. */
  suggestions?: readonly string[]
}

export type IssueCode = (typeof issueCodes)[number]

export const issueCodes = [
  'required',
  'unknown_field',
  'invalid_type',
  'invalid_value',
  'invalid_format',
  'out_of_range',
  'not_multiple',
  'too_short',
  'too_long',
  'duplicate',
  'immutable',
  'not_allowed',
  'not_found',
  'syntax',
  'limit_exceeded',
] as const

/** `source.kafka.brokers`, `tiles[3].name`: a path as a person writes it. */
export function formatPath(path: Issue['path']): string {
  let text = ''
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`
    else text += text === '' ? part : `.${part}`
  }
  return text
}

/** Prefixes the paths of issues that were found in a part of the body. */
export function under(prefix: Issue['path'], issues: readonly Issue[]): Issue[] {
  return issues.map((issue) => ({ ...issue, path: [...prefix, ...issue.path] }))
}

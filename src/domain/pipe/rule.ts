import type { Issue, IssueCode } from '../issue.ts'

export const issue = (path: Issue['path'], code: IssueCode, message: string): Issue => ({
  path,
  code,
  message,
})

export const missing = (path: Issue['path'], message = 'A value is required.'): Issue =>
  issue(path, 'required', message)

export const notAllowed = (path: Issue['path'], message: string): Issue => issue(path, 'not_allowed', message)

/** One issue for each of the named fields whose text is empty. */
export function missingTexts<T extends object>(part: T, names: readonly (keyof T & string)[]): Issue[] {
  return names.filter((name) => part[name] === '').map((name) => missing([name]))
}

/** One issue for each item that repeats an earlier one; `at` gives the path of an item. */
export function duplicates(
  items: readonly string[],
  at: (index: number) => Issue['path'],
  message: string,
): Issue[] {
  const seen = new Set<string>()
  const issues: Issue[] = []
  for (const [index, item] of items.entries()) {
    // An empty text is reported as missing elsewhere; two of them are not a duplicate.
    if (item !== '' && seen.has(item)) issues.push(issue(at(index), 'duplicate', message))
    seen.add(item)
  }
  return issues
}

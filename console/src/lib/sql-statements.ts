export interface Statement {
  /** Without the space around it and the semicolon after it. */
  text: string
  /** Where it begins, in the whole text. */
  from: number
}

/** Strings, quoted names, comments and heredocs hold semicolons that end nothing. */
const piece =
  /'(?:[^'\\]|\\[\s\S])*'?|"(?:[^"\\]|\\[\s\S])*"?|`(?:[^`\\]|\\[\s\S])*`?|--[^\n]*|#[ !][^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\$(\w*)\$[\s\S]*?(?:\$\1\$|$)|;|[^'"`\-#/$;]+|[\s\S]/g

/** The statements of a text; those of space alone are left out. */
export function statementsIn(text: string): Statement[] {
  const ends = Array.from(text.matchAll(piece)).flatMap(({ 0: part, index }) => (part === ';' ? [index] : []))
  let begin = 0
  return [...ends, text.length].flatMap((end) => {
    const whole = text.slice(begin, end)
    const from = begin + whole.length - whole.trimStart().length
    begin = end + 1
    return isBlank(whole) ? [] : [{ text: whole.trim(), from }]
  })
}

/** The statement that the caret is in; after the last one, the last one. */
export function statementAt(text: string, caret: number): Statement | null {
  const all = statementsIn(text)
  return all.find(({ from, text: own }) => caret <= from + own.length + 1) ?? all.at(-1) ?? null
}

/** `DROP TABLE web.requests`: what a statement destroys, shortened; null = it drops and truncates nothing. */
export function destructionOf(statement: string): string | null {
  const bare = withoutComments(statement).replaceAll(/\s+/g, ' ').trim()
  const isDestructive = /^(drop|truncate)\b/i.test(bare) || /^alter\b.*\bdrop\b/i.test(bare)
  return isDestructive ? shortened(bare, 120) : null
}

/** Whether tables or columns may be others after it. */
export const changesSchema = (statement: string): boolean =>
  /^(create|drop|alter|rename|exchange|truncate|attach|detach|undrop|insert)\b/i.test(
    withoutComments(statement).trim(),
  )

export const shortened = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text

const isBlank = (text: string): boolean => withoutComments(text).trim() === ''

const isComment = (part: string): boolean => /^(--|#[ !]|\/\*)/.test(part)

export const hasComments = (text: string): boolean =>
  Array.from(text.matchAll(piece)).some(([part]) => isComment(part))

const withoutComments = (text: string): string =>
  text.replaceAll(piece, (part) => (isComment(part) ? ' ' : part))

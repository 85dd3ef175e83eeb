export type Language = 'sql' | 'shell' | 'text'

export interface Token {
  kind: 'plain' | 'keyword' | 'function' | 'string' | 'number' | 'comment'
  text: string
}

const words =
  'select|from|where|group|by|order|limit|offset|having|with|as|and|or|not|in|between|is|null|join|left|right|inner|full|cross|on|using|union|all|distinct|insert|into|values|create|table|view|materialized|database|if|exists|engine|partition|primary|key|ttl|settings|format|drop|truncate|alter|add|column|modify|update|delete|case|when|then|else|end|asc|desc|interval|prewhere|final|sample|array|show|describe|explain|use|optimize'

const patterns: Record<Exclude<Language, 'text'>, RegExp> = {
  sql: new RegExp(
    [
      String.raw`(?<comment>--[^\n]*|/\*[\s\S]*?\*/)`,
      String.raw`(?<string>'(?:[^'\\]|\\.|'')*')`,
      String.raw`(?<number>\b\d+(?:\.\d+)?\b)`,
      String.raw`(?<keyword>\b(?:${words})\b)`,
      String.raw`(?<function>\b[A-Za-z_]\w*(?=\())`,
    ].join('|'),
    'gi',
  ),
  shell:
    /(?<comment>(?<=^|\s)#[^\n]*)|(?<string>'[^']*'|"(?:[^"\\]|\\.)*")|(?<keyword>(?<=^|\n)\s*[\w./-]+)/g,
}

/** The parts of a snippet, in order; joined they are the text again. */
export function tokensOf(text: string, language: Language): Token[] {
  if (language === 'text') return [{ kind: 'plain', text }]
  const tokens: Token[] = []
  let at = 0
  for (const match of text.matchAll(patterns[language])) {
    const kind = Object.entries(match.groups ?? {}).find(([, part]) => part !== undefined)?.[0]
    if (match.index > at) tokens.push({ kind: 'plain', text: text.slice(at, match.index) })
    tokens.push({ kind: (kind ?? 'plain') as Token['kind'], text: match[0] })
    at = match.index + match[0].length
  }
  if (at < text.length) tokens.push({ kind: 'plain', text: text.slice(at) })
  return tokens
}

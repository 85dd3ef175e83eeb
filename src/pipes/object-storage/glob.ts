/** A pattern of names of objects: `?` is one character but a slash, `*` any number of those, `**` crosses slashes. */
export interface Glob {
  /** What every matching name begins with: the text before the first wildcard. */
  prefix: string
  matches(name: string): boolean
}

export function compileGlob(pattern: string): Glob {
  const firstWildcard = pattern.search(/[*?]/)
  if (firstWildcard < 0) return { prefix: pattern, matches: (name) => name === pattern }
  const expression = new RegExp(`^${translate(pattern)}$`, 's')
  return { prefix: pattern.slice(0, firstWildcard), matches: (name) => expression.test(name) }
}

function translate(pattern: string): string {
  // `a/**/b` matches `a/b` too: the slash after `**` belongs to it.
  return pattern.replace(/\*\*\/|\*{2,}|\*|\?|[^*?]+/gs, (part) => {
    if (part === '**/') return '(?:.*/)?'
    if (part.startsWith('**')) return '.*'
    if (part === '*') return '[^/]*'
    if (part === '?') return '[^/]'
    return part.replace(/[\\^$.|+()[\]{}/-]/g, '\\$&')
  })
}

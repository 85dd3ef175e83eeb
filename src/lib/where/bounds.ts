import type { Comparison, Literal, Range } from './ast.ts'

/** The lower and upper end of a comparison or a range; null = that end is open. */
export interface Bounds {
  low: Bound | null
  high: Bound | null
}

export interface Bound {
  value: Literal
  isIncluded: boolean
}

/** Variables must have been replaced before. */
export function boundsOf(term: Comparison | Range): Bounds {
  if (term.kind === 'range') {
    return {
      low: term.low && { value: term.low as Literal, isIncluded: term.includesLow },
      high: term.high && { value: term.high as Literal, isIncluded: term.includesHigh },
    }
  }
  const bound = { value: term.value as Literal, isIncluded: term.operator.endsWith('=') }
  return term.operator.startsWith('>') ? { low: bound, high: null } : { low: null, high: bound }
}

/** The comparisons of `x > 1 AND x <= 5`, with values written by `literal`; an open end has none. */
export function compareEnds(x: string, { low, high }: Bounds, literal: (value: Literal) => string): string[] {
  const parts: string[] = []
  if (low) parts.push(`${x} ${low.isIncluded ? '>=' : '>'} ${literal(low.value)}`)
  if (high) parts.push(`${x} ${high.isIncluded ? '<=' : '<'} ${literal(high.value)}`)
  return parts
}

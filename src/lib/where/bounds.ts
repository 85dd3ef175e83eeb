import type { Comparison, Literal, Range } from './ast.ts'

/** What a comparison or a range asks of a value, one end each; null = that end is open. */
export interface Bounds {
  low: Bound | null
  high: Bound | null
}

export interface Bound {
  value: Literal
  isIncluded: boolean
}

/** Variables have been replaced before. */
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

/** `x > 1 AND x <= 5`, as each end is written by `literal`; an end without one is open. */
export function compareEnds(x: string, { low, high }: Bounds, literal: (value: Literal) => string): string[] {
  const parts: string[] = []
  if (low) parts.push(`${x} ${low.isIncluded ? '>=' : '>'} ${literal(low.value)}`)
  if (high) parts.push(`${x} ${high.isIncluded ? '<=' : '<'} ${literal(high.value)}`)
  return parts
}

import { nearestNames } from '../nearest.ts'
import type { BoundTerm, Literal, Term, Value, Variable } from './ast.ts'
import { invalidValue, shown, WhereError } from './where-error.ts'

/** Name → its value, several values of which any may match, or null for every value. */
export type Variables = Readonly<Record<string, string | readonly string[] | null>>

/** The values of a variable; null = every value. */
export function valuesOf(variables: Variables, name: string, at: number): readonly string[] | null {
  if (!Object.hasOwn(variables, name)) {
    const suggestions = nearestNames(name, Object.keys(variables))
    throw new WhereError('not_found', `no variable ${shown(name)}`, at, suggestions)
  }
  const value = variables[name] ?? null
  return typeof value === 'string' ? [value] : value
}

/** The terms of which at least one must hold; null if a variable stands for every value. */
export function replaceVariables(term: Term, variables: Variables): BoundTerm[] | null {
  switch (term.kind) {
    case 'variable':
      return phrases(term, variables)
    case 'compare': {
      if (term.value.kind !== 'variable') return [term]
      return phrases(term.value, variables)?.map((value) => ({ ...term, value })) ?? null
    }
    case 'range': {
      const low = oneBound(term.low, variables)
      const high = oneBound(term.high, variables)
      return low === undefined || high === undefined ? null : [{ ...term, low, high }]
    }
    default:
      return [term]
  }
}

const phrases = ({ name, at }: Variable, variables: Variables): Literal[] | null =>
  valuesOf(variables, name, at)?.map((value) => ({ kind: 'phrase', text: value, at })) ?? null

/** Undefined = every value. */
function oneBound(bound: Value | null, variables: Variables): Literal | null | undefined {
  if (bound?.kind !== 'variable') return bound
  const values = phrases(bound, variables)
  if (values === null) return undefined
  if (values.length !== 1) throw invalidValue('a bound of a range is one value', bound.at)
  return values[0]
}

import { quoteString } from '../clickhouse/identifiers.ts'
import type { BoundTerm } from './ast.ts'
import { boundsOf, compareEnds } from './bounds.ts'
import type { ColumnType } from './column-type.ts'
import { allOf, type Condition, condition, never, notNull } from './condition.ts'
import { floatLiteral } from './text-condition.ts'
import { type Ticks, ticksOf } from './ticks.ts'
import { invalidValue, shown } from './where-error.ts'

/** The condition of a term on a number, a date or a time. */
export function orderedCondition(x: string, type: ColumnType, term: BoundTerm): Condition {
  if (term.kind === 'any') return notNull(x, type.isNullable)
  if (term.kind === 'pattern') {
    throw invalidValue('a pattern fits texts only, and this field holds none', term.at)
  }
  const ticks = ticksOf(type)
  if (ticks === null) return floatCondition(x, type, term)
  if ('text' in term) {
    const { from, to } = ticks.read(term)
    return within(x, type, ticks, from, to)
  }
  const { low, high } = boundsOf(term)
  // A value within the span that a bound names is neither before nor after it.
  const lowEnds = low && ticks.read(low.value)
  const highEnds = high && ticks.read(high.value)
  const from = low && lowEnds ? (low.isIncluded ? lowEnds.from : lowEnds.to) : null
  const to = high && highEnds ? (high.isIncluded ? highEnds.to : highEnds.from) : null
  return within(x, type, ticks, from, to)
}

/**
 * `from` is inclusive, `to` is exclusive; null = open. A bound that no value of the column can reach is left
 * out.
 */
function within(
  x: string,
  { isNullable }: ColumnType,
  { least, greatest, literal }: Ticks,
  from: bigint | null,
  to: bigint | null,
): Condition {
  if (from !== null && to !== null && from >= to) return never
  if ((from !== null && from > greatest) || (to !== null && to <= least)) return never
  if (from !== null && to === from + 1n) return condition(`${x} = ${literal(from)}`, isNullable)
  const parts: Condition[] = []
  if (from !== null && from > least) parts.push(condition(`${x} >= ${literal(from)}`, isNullable))
  if (to !== null && to <= greatest) parts.push(condition(`${x} < ${literal(to)}`, isNullable))
  return parts.length === 0 ? notNull(x, isNullable) : allOf(parts)
}

/** A number is rounded to the nearest that the column can hold, so `f:0.1` finds 0.1 in a Float32. */
function floatCondition(
  x: string,
  type: ColumnType,
  term: Exclude<BoundTerm, { kind: 'any' | 'pattern' }>,
): Condition {
  const name = type.kind === 'float' ? type.name : ''
  const literal = ({ text, at }: { text: string; at: number }): string => {
    if (!/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)) {
      throw invalidValue(`${shown(text)} is no number`, at)
    }
    const value = name === 'Float64' ? Number(text) : Math.fround(Number(text))
    if (!Number.isFinite(value)) throw invalidValue(`${shown(text)} is beyond ${name}`, at)
    return name === 'BFloat16' ? `CAST(${value}, ${quoteString(name)})` : floatLiteral(value)
  }
  if ('text' in term) {
    return condition(`${x} = ${literal(term)}`, type.isNullable)
  }
  const ends = compareEnds(x, boundsOf(term), literal)
  if (ends.length === 0) return notNull(x, type.isNullable)
  return allOf(ends.map((sql) => condition(sql, type.isNullable)))
}

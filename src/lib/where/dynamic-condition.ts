import { quoteString } from '../clickhouse/identifiers.ts'
import type { BoundTerm } from './ast.ts'
import { allOf, anyOf, type Condition, condition } from './condition.ts'
import { textCondition } from './text-condition.ts'

/**
 * The condition of a term on a value whose type differs by row. Strings, numbers and booleans are compared as
 * text; objects and arrays can only be tested for presence.
 */
export function dynamicCondition(x: string, term: BoundTerm): Condition {
  const value = `CAST(${x}, 'Dynamic')`
  const text = `CAST(${value}, 'Nullable(String)')`
  const isCompound = `match(dynamicType(${value}), '^(Array|Map|Tuple|JSON)')`
  const asText = allOf([condition(`NOT ${isCompound}`, false), textCondition(text, true, term)])
  if (term.kind !== 'any') return asText
  const isFilled = condition(`(${isCompound} AND ${text} NOT IN ('[]', '{}', '()'))`, true)
  return condition(`ifNull(${anyOf([asText, isFilled]).sql}, false)`, false)
}

/** The same for a path into a text that holds JSON. */
export function jsonTextCondition(
  x: string,
  path: readonly string[],
  canBeNull: boolean,
  term: BoundTerm,
): Condition {
  const place = [x, ...path.map(quoteString)].join(', ')
  const type = `JSONType(${place})`
  const string = `JSONExtractString(${place})`
  if (term.kind === 'any') {
    const isThere = `if(${type} = 'String', ${string} != '', ${type} IN (${scalars}) OR JSONLength(${place}) > 0)`
    return condition(isThere, canBeNull)
  }
  const text = `if(${type} = 'String', ${string}, JSONExtractRaw(${place}))`
  const isScalar = condition(`${type} IN ('String', ${scalars})`, canBeNull)
  return allOf([isScalar, textCondition(text, canBeNull, term)])
}

const scalars = `'Int64', 'UInt64', 'Double', 'Bool'`

import { quoteIdentifier } from '../clickhouse/identifiers.ts'
import type { BoundTerm, Clause, Query } from './ast.ts'
import { allOf, always, anyOf, type Condition, negation, never } from './condition.ts'
import { englishOf } from './english.ts'
import { createFields, type Fields, type Place, type WhereSource } from './fields.ts'
import { parseWhere } from './parse.ts'
import { placeCondition } from './place-condition.ts'
import { searchCondition } from './text-condition.ts'
import { replaceVariables, type Variables } from './variables.ts'
import { WhereError } from './where-error.ts'

export interface CompiledWhere {
  /** One expression in its own brackets: true for the rows that match, false or NULL for all others. */
  sql: string
  /** The condition as an English sentence; '' when there is none. */
  english: string
}

/**
 * Compiles a where text to SQL over the columns of a table. Every value of the text becomes a quoted literal in
 * the SQL, every name the quoted name of an existing column, so no text can change the statement around it.
 * Throws a WhereError that says where the text is wrong.
 */
export function compileWhere(text: string, source: WhereSource, variables: Variables = {}): CompiledWhere {
  const context: Context = { fields: createFields(source), variables, implicit: source.implicitColumn ?? '' }
  const query = resolve(parseWhere(text), context)
  return { sql: `(${write(query, false).sql})`, english: englishOf(query) }
}

/** A query whose fields and variables are resolved. */
export type Resolved =
  | { kind: 'all' }
  | { kind: 'and' | 'or'; parts: readonly Resolved[] }
  | { kind: 'not'; part: Resolved }
  | ResolvedClause

export interface ResolvedClause {
  kind: 'clause'
  /** The field as written; for a word without a field, the implicit column. */
  name: string
  isSearch: boolean
  place: Place
  /** At least one of the terms must hold; null = always true, negated or not. */
  terms: readonly BoundTerm[] | null
  condition: Condition
}

interface Context {
  fields: Fields
  variables: Variables
  implicit: string
}

function resolve(query: Query, context: Context): Resolved {
  switch (query.kind) {
    case 'and':
    case 'or':
      return { kind: query.kind, parts: query.parts.map((part) => resolve(part, context)) }
    case 'not':
      return { kind: 'not', part: resolve(query.part, context) }
    case 'clause':
      return resolveClause(query, context)
    case 'all':
      return query
  }
}

function resolveClause({ field, term }: Clause, { fields, variables, implicit }: Context): ResolvedClause {
  if (field === null && implicit === '') {
    throw new WhereError('invalid_value', 'words without a field need a text column to search', term.at)
  }
  const place = field === null ? fields.column(implicit, term.at) : fields.find(field.name, field.at)
  const name = field?.name ?? implicit
  const terms = replaceVariables(term, variables)
  const conditionOf = (bound: BoundTerm): Condition =>
    field === null ? search(place, bound) : placeCondition(place, bound)
  // A variable without values matches nothing.
  const condition = terms === null ? always : terms.length === 0 ? never : anyOf(terms.map(conditionOf))
  return { kind: 'clause', name, isSearch: field === null, place, terms, condition }
}

function search({ column, steps, type }: Place, term: BoundTerm): Condition {
  if (type.kind !== 'text' || steps.length > 0) {
    throw new WhereError('invalid_value', `${column} is no text column to search words in`, term.at)
  }
  const name = quoteIdentifier(column)
  return searchCondition(type.name === 'String' ? name : `toString(${name})`, type.isNullable, term)
}

/** Negations move down to the clauses, because only there is it known which of them stay true when negated. */
function write(query: Resolved, isNegated: boolean): Condition {
  switch (query.kind) {
    case 'all':
      return isNegated ? never : always
    case 'not':
      return write(query.part, !isNegated)
    case 'and':
    case 'or': {
      const parts = query.parts.map((part) => write(part, isNegated))
      return (query.kind === 'and') === isNegated ? anyOf(parts) : allOf(parts)
    }
    case 'clause':
      return isNegated && query.terms !== null ? negation(query.condition) : query.condition
  }
}

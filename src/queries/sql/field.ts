import { parseColumnType } from '../../lib/where/column-type.ts'
import { createFields, type Fields } from '../../lib/where/fields.ts'
import { compileSqlExpression } from '../../lib/where/sql-where.ts'
import type { Variables } from '../../lib/where/variables.ts'
import { WhereError } from '../../lib/where/where-error.ts'
import type { QuerySource, TimeSpan } from './query-source.ts'
import { placeValue, type Value } from './value.ts'

export interface FieldContext {
  source: QuerySource
  fields: Fields
  variables: Variables
  span: TimeSpan
  stepSeconds: number
  /** Type of each SQL expression, by its text; one that is absent is not known yet. */
  types: ReadonlyMap<string, string>
  /** Texts of the SQL expressions whose type was asked for and is not known. */
  wanted: Set<string>
  /** All SQL that users wrote, after macros and variables. */
  userSql: string[]
}

export const createFieldContext = (
  given: Omit<FieldContext, 'fields' | 'wanted' | 'userSql'>,
): FieldContext => ({ ...given, fields: createFields(given.source), wanted: new Set(), userSql: [] })

/** A field as in a filter (alias, column, path) where the text names one, else an SQL expression. */
export function readField(text: string, context: FieldContext): Value {
  const named = findPlace(text, context)
  if (named) return placeValue(named)
  const sql = readExpression(text, context)
  const type = context.types.get(sql)
  if (type === undefined) context.wanted.add(sql)
  return { sql, type: parseColumnType(type ?? '') }
}

/** The same where the type does not matter. */
export function readGroup(text: string, context: FieldContext): string {
  const named = findPlace(text, context)
  return named ? placeValue(named).sql : readExpression(text, context)
}

export function readExpression(
  text: string,
  { variables, span, stepSeconds, userSql }: FieldContext,
): string {
  const sql = compileSqlExpression(text, variables, { ...span, stepSeconds })
  userSql.push(sql)
  return sql
}

function findPlace(text: string, { fields }: FieldContext) {
  try {
    return fields.find(text, 0)
  } catch (error) {
    // Only a name is looked for among the names; anything else may be an expression.
    const isName = /^[A-Za-z_][\w.]*$/.test(text) && !/^(true|false|null)$/i.test(text)
    if (isName || !(error instanceof WhereError)) throw error
    return null
  }
}

import type { Issue } from '../../domain/issue.ts'
import { parseColumnType } from '../../lib/where/column-type.ts'
import { createFields, type Fields } from '../../lib/where/fields.ts'
import { compileSqlExpression } from '../../lib/where/sql-where.ts'
import type { Variables } from '../../lib/where/variables.ts'
import { WhereError } from '../../lib/where/where-error.ts'
import type { QuerySource, TimeSpan } from './query-source.ts'
import { at } from './tile.ts'
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
  userSql: UserSql[]
}

/** SQL that a user wrote, after macros and variables, and where it was written. */
export interface UserSql {
  sql: string
  path: Issue['path']
}

export const createFieldContext = (
  given: Omit<FieldContext, 'fields' | 'wanted' | 'userSql'>,
): FieldContext => ({ ...given, fields: createFields(given.source), wanted: new Set(), userSql: [] })

/** A field as in a filter (alias, column, path) where the text names one, else an SQL expression. */
export function readField(text: string, path: Issue['path'], context: FieldContext): Value {
  const named = at(path, () => findPlace(text, context))
  if (named) return placeValue(named)
  const sql = readExpression(text, path, context)
  const type = context.types.get(sql)
  if (type !== undefined) return { sql, type: parseColumnType(type) }
  // Until its type is known, a number is as good as anything: the statement is built again.
  context.wanted.add(sql)
  return { sql, type: { kind: 'float', name: 'Float64', isNullable: true } }
}

/** The same where the type does not matter. */
export function readGroup(text: string, path: Issue['path'], context: FieldContext): string {
  const named = at(path, () => findPlace(text, context))
  return named ? placeValue(named).sql : readExpression(text, path, context)
}

export function readExpression(text: string, path: Issue['path'], context: FieldContext): string {
  const { variables, span, stepSeconds, userSql } = context
  const sql = at(path, () => compileSqlExpression(text, variables, { ...span, stepSeconds }))
  userSql.push({ sql, path })
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

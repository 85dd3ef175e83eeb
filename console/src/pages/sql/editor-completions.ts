import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { statementAt } from '../../lib/sql-statements.ts'
import { keywords } from './keywords.ts'
import type { Schema, SchemaColumn, SchemaTable } from './schema.ts'

const keywordOptions: Completion[] = keywords.map((word) => ({
  label: word.toUpperCase(),
  type: 'keyword',
  boost: -1,
}))

/** Names that fit at the caret: after `a.` what is in a, elsewhere columns of the statement's tables, tables, functions. */
export function completionsOf(context: CompletionContext, schema: Schema | null): CompletionResult | null {
  const path = context.matchBefore(/[\w.]*/)
  if (!path || (path.text === '' && !context.explicit) || /^\d/.test(path.text)) return null
  const dot = path.text.lastIndexOf('.')
  const from = path.from + dot + 1
  const text = context.state.doc.toString()
  const statement = statementAt(text, context.pos)?.text ?? ''
  const options = dot < 0 ? plain(schema, statement) : within(schema, statement, path.text.slice(0, dot))
  return { from, options, validFor: /^\w*$/ }
}

function plain(schema: Schema | null, statement: string): Completion[] {
  if (!schema) return keywordOptions
  const tables = schema.databases.flatMap(({ name: database, tables: own }) =>
    own.map(({ name }) => ({
      label: database === 'default' ? name : `${database}.${name}`,
      ...{ type: 'class', detail: 'table', boost: database === 'system' ? -2 : 1 },
    })),
  )
  const columns = tablesIn(schema, statement).flatMap(({ columns: own }) => own.map(columnOption))
  const functions = schema.functions.map((name) => ({ label: name, type: 'function', detail: 'function' }))
  const seen = new Set<string>()
  return [...columns, ...tables, ...keywordOptions, ...functions].filter(
    ({ label }) => !seen.has(label) && seen.add(label),
  )
}

/** Tables of a database, columns of a table or of its alias. */
function within(schema: Schema | null, statement: string, name: string): Completion[] {
  const database = schema?.databases.find((one) => one.name === name)
  if (database) return database.tables.map((table) => ({ label: table.name, type: 'class', detail: 'table' }))
  const last = name.split('.').at(-1) ?? ''
  const [, aliased = last] = new RegExp(`([\\w]+)\\s+(?:as\\s+)?${last}\\b`, 'i').exec(statement) ?? []
  const tables = schema?.databases.flatMap((one) => one.tables) ?? []
  const found = tables.find((one) => one.name === last) ?? tables.find((one) => one.name === aliased)
  return found?.columns.map(columnOption) ?? []
}

const columnOption = ({ name, type }: SchemaColumn): Completion => ({
  ...{ label: name, type: 'property', detail: type, boost: 2 },
})

function tablesIn(schema: Schema, statement: string): SchemaTable[] {
  const words = new Set(statement.match(/\w+/g))
  return schema.databases.flatMap(({ name, tables }) =>
    tables.filter((table) => words.has(table.name) && (name === 'default' || words.has(name))),
  )
}

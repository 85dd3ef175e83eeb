import { parseColumns, parseTypes, writeColumns } from '../../../../lib/clickhouse/column-list.ts'
import { quoteIdentifier } from '../../../../lib/clickhouse/identifiers.ts'
import type { InsertHeader } from '../../../../lib/clickhouse/insert-header.ts'
import { advance, createLexer, isPunctuation, isWord } from '../../../../lib/clickhouse/lexer.ts'
import { unquote } from '../../../../lib/clickhouse/literals.ts'
import { EngineError } from '../../engine-error.ts'
import { isFormatName } from './rewrite.ts'

/** A table whose data comes in the body of a request. */
export interface ExternalTable {
  name: string
  /** Columns as in `a Int32, b String` and nothing else, because the text becomes a part of a statement. */
  structure: string
  format: string
}

export const createTable = ({ name, structure }: ExternalTable): string =>
  `CREATE TEMPORARY TABLE ${quoteIdentifier(name)} (${structure})`

export const insertHeaderFor = ({ name, format }: ExternalTable): InsertHeader => ({
  with: '',
  target: quoteIdentifier(name),
  columns: '',
  partitionBy: '',
  settings: '',
  source: 'data',
  select: '',
  format,
  hasFormatClause: true,
  sourceStart: 0,
  dataStart: 0,
  hasSemicolonBeforeData: false,
})

/** Describes a table of a form from the parameters `name_structure` or `name_types`, and `name_format`. */
export function readExternalTable(name: string, external: Map<string, string>): ExternalTable {
  const given = external.get(`${name}_structure`)
  const types = external.get(`${name}_types`)
  if (given === undefined && types === undefined) {
    throw new EngineError(36, 'BAD_ARGUMENTS', `Neither ${name}_structure nor ${name}_types is given`)
  }
  const structure = given === undefined ? structureOfTypes(types ?? '') : checkStructure(given)
  return { name, structure, format: checkFormat(external.get(`${name}_format`) ?? 'TabSeparated') }
}

/** The table that `input('a Int32, …')` stands for, and the SELECT with the table's name instead of `input`. */
export function readInput({ select, format }: InsertHeader): { table: ExternalTable; select: string } {
  const lexer = createLexer(select)
  while (advance(lexer) !== 'end' && lexer.kind !== 'error') {
    if (!isWord(lexer, 'input')) continue
    const { start } = lexer
    if (advance(lexer) !== 'punctuation' || !isPunctuation(lexer, '(')) continue
    advance(lexer)
    const structure = unquote(select.slice(lexer.start, lexer.end))
    const isText = lexer.kind === 'string' || lexer.kind === 'heredoc'
    advance(lexer)
    if (!isText || !isPunctuation(lexer, ')')) break
    const table = {
      name: '_granary_input',
      structure: checkStructure(structure),
      format: checkFormat(format),
    }
    return {
      table,
      select: `${select.slice(0, start)}${quoteIdentifier(table.name)}${select.slice(lexer.end)}`,
    }
  }
  throw new EngineError(
    36,
    'BAD_ARGUMENTS',
    "Table function 'input' requires exactly 1 argument: the structure",
  )
}

function checkStructure(text: string): string {
  const columns = parseColumns(text)
  if (columns !== null) return writeColumns(columns)
  throw noColumns(text, 'name Type, …')
}

function structureOfTypes(text: string): string {
  const types = parseTypes(text)
  if (types === null) throw noColumns(text, 'Type, …')
  return writeColumns(types.map((type, index) => ({ name: `_${index + 1}`, type })))
}

const noColumns = (text: string, expected: string): EngineError =>
  new EngineError(
    62,
    'SYNTAX_ERROR',
    `Syntax error (columns declaration list): ${text.slice(0, 200)}. Expected ${expected}`,
  )

function checkFormat(format: string): string {
  if (isFormatName(format)) return format
  throw new EngineError(73, 'UNKNOWN_FORMAT', `Unknown format ${format}`)
}

import { scanClauses } from '../../../../lib/clickhouse/clauses.ts'
import { quoteString } from '../../../../lib/clickhouse/identifiers.ts'
import type { InsertHeader } from '../../../../lib/clickhouse/insert-header.ts'
import { advance, createLexer, isPunctuation, isWord } from '../../../../lib/clickhouse/lexer.ts'
import type { Statement } from '../../../../lib/clickhouse/statement.ts'
import type { Encoding } from '../http/encodings.ts'

/** The same statement, with its result going to a file. */
export function withOutfile(
  sql: string,
  statement: Statement,
  { path, format, encoding }: { path: string; format: string; encoding: Encoding | null },
): string {
  const compression = encoding === null ? '' : ` COMPRESSION '${encoding}'`
  const outfile = `\nINTO OUTFILE ${quoteString(path)} TRUNCATE${compression}`
  // The clause must stand before FORMAT.
  const at = statement.format === null ? -1 : beforeFormat(sql)
  if (at >= 0) return `${sql.slice(0, at)}${outfile}${sql.slice(at, statement.bodyEnd)}`
  return `${sql.slice(0, statement.bodyEnd)}${outfile} FORMAT ${format}`
}

/** The same INSERT, with its data coming from a file. */
export function insertFromFile(
  header: InsertHeader,
  { path, encoding }: { path: string; encoding: Encoding | null },
): string {
  const parts = [
    header.with,
    `INSERT INTO ${header.target}`,
    header.columns === '' ? '' : `(${header.columns})`,
    header.partitionBy === '' ? '' : `PARTITION BY ${header.partitionBy}`,
    `FROM INFILE ${quoteString(path)}`,
    // Without COMPRESSION the engine would guess by the file name.
    `COMPRESSION '${encoding ?? 'none'}'`,
    header.settings === '' ? '' : `SETTINGS ${header.settings}`,
    `FORMAT ${header.format}`,
  ]
  return parts.filter((part) => part !== '').join(' ')
}

export function isExplainAst(sql: string): boolean {
  const lexer = createLexer(sql)
  advance(lexer)
  while (isPunctuation(lexer, ';')) advance(lexer)
  if (!isWord(lexer, 'explain')) return false
  advance(lexer)
  return isWord(lexer, 'ast')
}

function beforeFormat(sql: string): number {
  const lexer = createLexer(sql)
  advance(lexer)
  while (isPunctuation(lexer, ';')) advance(lexer)
  return scanClauses(lexer).beforeFormat
}

/** Whether a format name can be written into SQL; the engine refuses any other name. */
export const isFormatName = (name: string): boolean => /^[A-Za-z][A-Za-z0-9_]*$/.test(name)

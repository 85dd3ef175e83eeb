import { scanClauses } from '../../../lib/clickhouse/clauses.ts'
import { quoteString } from '../../../lib/clickhouse/identifiers.ts'
import type { InsertHeader } from '../../../lib/clickhouse/insert-header.ts'
import { advance, createLexer, isPunctuation, isWord } from '../../../lib/clickhouse/lexer.ts'
import type { Statement } from '../../../lib/clickhouse/statement.ts'
import type { Encoding } from './encodings.ts'

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
    // Without it the engine would guess by the name of the file.
    `COMPRESSION '${encoding ?? 'none'}'`,
    header.settings === '' ? '' : `SETTINGS ${header.settings}`,
    `FORMAT ${header.format}`,
  ]
  return parts.filter((part) => part !== '').join(' ')
}

/**
 * `KILL … SYNC` waits for the statements to end, on one of the threads that they need for that. It is run as
 * ASYNC; who asked for SYNC is answered when they have ended.
 */
export function killAsync(sql: string, bodyEnd: number): { sql: string; wasSync: boolean } {
  const body = sql.slice(0, bodyEnd)
  const lexer = createLexer(body)
  let [start, end] = [-1, -1]
  let isLast = false
  while (advance(lexer) !== 'end' && lexer.kind !== 'error') {
    if (isWord(lexer, 'sync')) {
      start = lexer.start
      end = lexer.end
      isLast = true
    } else if (!isLast || !isWord(lexer, 'format')) isLast = false
    else break
  }
  if (!isLast) return { sql: body, wasSync: false }
  return { sql: `${body.slice(0, start)}ASYNC${body.slice(end)}`, wasSync: true }
}

function beforeFormat(sql: string): number {
  const lexer = createLexer(sql)
  advance(lexer)
  while (isPunctuation(lexer, ';')) advance(lexer)
  return scanClauses(lexer).beforeFormat
}

/** A name of a format as it can stand in SQL; anything else is left for the engine to refuse. */
export const isFormatName = (name: string): boolean => /^[A-Za-z][A-Za-z0-9_]*$/.test(name)

import { Option } from 'commander'
import type { BodyOf } from '../../api/operations.ts'
import { type ExportFormat, exportFormats, statementLimits } from '../../domain/service/statement.ts'
import type { CommandDefinition } from '../command.ts'
import { usageError } from '../failure.ts'
import { readText } from '../input.ts'
import { type Operands, operandsOf, paramsOf } from '../operands.ts'
import { defined, fileOption, numberOption, repeatedOption } from '../options.ts'
import { markedFailure } from '../query/marked-failure.ts'
import { doneLine, progressLine } from '../query/progress.ts'
import { runPrompt } from '../query/prompt.ts'
import { type Column, resultTable } from '../query/result-table.ts'
import { allStatements } from '../query/split.ts'
import type { Session } from '../session.ts'
import { bytes } from '../units.ts'

interface Flags {
  file?: string
  format?: ExportFormat
  param?: string[]
  setting?: string[]
  database?: string
  maxRows?: number
}

/** How a statement is asked, besides its text. */
type Manner = Omit<BodyOf<'services.query'>, 'query' | 'queryId'>

/** A table is shown in pieces of so many rows: the widths of its columns are those of one piece. */
const rowsAtOnce = 1_000

export const query: CommandDefinition = {
  name: 'query',
  summary: 'Run SQL on a service',
  details:
    'The statement is an operand, in a file, or on standard input; several are separated by ";". Without any, on a terminal, a prompt asks for them. A terminal is shown a table, with progress; anything else gets TabSeparated, or the format that is given, as the engine makes it. Ctrl-C cancels the query.',
  operands: [...operandsOf('services.get'), ['[sql]', 'the statements']],
  options: [
    fileOption('the statements').conflicts('sql'),
    new Option('--format <format>', 'one of the engine, for example CSVWithNames, JSONEachRow, Parquet'),
    repeatedOption('--param <name=value>', 'value of {name:Type} in the statement'),
    repeatedOption('--setting <name=value>', 'setting of the engine'),
    new Option('--database <name>', 'the current database; default: default'),
    numberOption('--max-rows <n>', `rows of a table at most; default: ${statementLimits.defaultRows}`),
  ],
  examples: [
    "granary query analytics 'SELECT count() FROM events'",
    "granary query analytics 'SELECT * FROM events' --format Parquet > events.parquet",
    "granary query analytics 'SELECT {day:Date} + 1' --param day=2030-05-01",
    'granary query analytics --file report.sql --database shop',
    'granary query analytics',
  ],
  async run(session, operands: Operands & { sql?: string }, flags: Flags) {
    const { io, output, signal } = session
    const manner = mannerOf(flags)
    const given = await textOf(session, operands, flags)
    const statements = given === null ? null : allStatements(given)
    if (statements?.length === 0) throw usageError('there is no statement')
    const params = await paramsOf(session, 'services.get', operands)
    const run = (text: string, until: AbortSignal) => runOne(session, { params, manner, flags, text }, until)
    if (statements !== null) {
      for (const text of statements) await run(text, signal)
      return
    }
    await runPrompt(io, output.progress, async (text, until) => {
      try {
        await run(text, until)
      } catch (error) {
        if (until.aborted) output.progress('cancelled')
        else output.failure(error)
      }
    })
  },
}

interface Asked {
  params: { serviceId: string }
  manner: Manner
  flags: Flags
  text: string
}

async function runOne(
  session: Session,
  { params, manner, flags, text }: Asked,
  signal: AbortSignal,
): Promise<void> {
  const { client, output, io } = session
  const { maxRows: _, ...rest } = manner
  try {
    if (output.isJson && flags.format === undefined) {
      const body = { query: text, ...manner }
      for await (const line of client.stream('services.query', { params, body, signal }))
        output.piece(line, () => '')
    } else if (flags.format !== undefined || !io.stdout.isTTY) {
      await exportAll(session, { params, text, manner: rest, format: flags.format ?? 'TabSeparated' }, signal)
    } else {
      await showTable(session, { params, body: { query: text, ...manner } }, signal)
    }
  } catch (error) {
    throw signal.aborted || output.isJson ? error : markedFailure(error, text)
  }
}

async function exportAll(
  { client, output, io }: Session,
  asked: { params: Asked['params']; text: string; manner: Omit<Manner, 'maxRows'>; format: ExportFormat },
  signal: AbortSignal,
): Promise<void> {
  const { params, text, manner, format } = asked
  const startedMs = io.clock.now()
  let written = 0
  const body = { query: text, ...manner, format }
  for await (const piece of client.stream('services.export', { params, body, signal })) {
    await output.bytes(piece)
    written += piece.byteLength
    // Where the result goes to the same terminal, a line between its pieces would tear it.
    if (!io.stdout.isTTY)
      output.live(`${bytes(written)} written, ${Math.round((io.clock.now() - startedMs) / 1000)} s`)
  }
  output.endLive()
}

async function showTable(
  { client, output }: Session,
  { params, body }: { params: Asked['params']; body: BodyOf<'services.query'> },
  signal: AbortSignal,
): Promise<void> {
  let columns: readonly Column[] = []
  let rows: unknown[][] = []
  const flush = (isLast: boolean) => {
    if (columns.length === 0 || (rows.length === 0 && !isLast)) return
    output.piece(rows, (form) => resultTable(form, columns, rows))
    rows = []
  }
  let isShown = false
  let summary = ''
  for await (const line of client.stream('services.query', { params, body, signal })) {
    if (line.kind === 'waking') output.live('the service is waking')
    else if (line.kind === 'progress') output.live(progressLine(line))
    else if (line.kind === 'columns') columns = line.columns
    else if (line.kind === 'totals') rows.push(line.row)
    else if (line.kind === 'done') summary = doneLine(line)
    else {
      for (const row of line.rows) {
        rows.push(row)
        if (rows.length < rowsAtOnce) continue
        flush(false)
        isShown = true
      }
    }
  }
  flush(!isShown)
  if (summary !== '') output.progress(summary)
}

/** Null = the user is to be asked. */
async function textOf({ io }: Session, { sql }: { sql?: string }, { file }: Flags): Promise<string | null> {
  if (sql !== undefined && file !== undefined) throw usageError('give the statement or --file, not both')
  if (sql !== undefined) return sql
  if (file !== undefined) return readText(io, file)
  return io.isInteractive ? null : readText(io, '-')
}

function mannerOf({ param, setting, database, maxRows, format }: Flags): Manner {
  if (format !== undefined && !exportFormats.includes(format))
    throw usageError(`--format ${format} is none of: ${exportFormats.join(', ')}`)
  return defined({
    parameters: named(param, '--param'),
    settings: named(setting, '--setting'),
    database,
    maxRows,
  })
}

function named(given: readonly string[] | undefined, flag: string): Record<string, string> | undefined {
  if (given === undefined) return undefined
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=')
      if (at <= 0) throw usageError(`${flag} has the form name=value`)
      return [text.slice(0, at), text.slice(at + 1)]
    }),
  )
}

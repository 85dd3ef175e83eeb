import { quoteIdentifier, quoteString } from '../../lib/clickhouse/identifiers.ts'
import type { SourceObject } from '../source.ts'
import type { BadRecord } from './errors-table.ts'
import type { Objects } from './insert-objects.ts'
import { oneBlock, reasonOfData } from './insert-records.ts'
import { type Reading, readingSettings } from './mapping.ts'
import type { Questions } from './questions.ts'
import type { Target } from './target.ts'

/**
 * Text objects in which some lines cannot be read. The engine reads such an object as plain lines, and they come back
 * to it as the body of an insert that leaves out the bad ones and says which they are. An object whose records are
 * no lines, or that has mostly bad ones, is not salvaged: nothing tells its good records from its bad ones.
 */
export const lineFormats: ReadonlySet<string> = new Set([
  ...['JSONEachRow', 'CSV', 'CSVWithNames', 'TabSeparated', 'TabSeparatedWithNames'],
])
/** An object is salvaged as one block, which must fit into memory. */
const maxBytes = 64 * 1024 * 1024
const maxBadLines = 10_000
/** The reasons of so many lines are looked up: each takes a statement. */
const maxReasons = 32

interface Salvaging {
  questions: Questions
  target: Target
  objects: Objects
  /** The reason why an object cannot be read; rethrows what is not about the object. */
  onFailure(error: unknown): string
}

/**
 * Inserts the good lines. Resolves with the ordinals of the bad ones; null = nothing was inserted.
 */
export async function salvageLines(
  { questions, target, objects, onFailure }: Salvaging,
  object: SourceObject,
  plan: Reading,
  into: { table: string; nowhere: string },
  signal: AbortSignal,
): Promise<number[] | null> {
  const { format } = objects
  if (!lineFormats.has(format) || object.bytes > maxBytes || plan.select.includes('`_time`')) return null
  const lines = await linesOf(objects, object)
  const about = await questions
    .rows<{ n: string; path: string; file: string }>(
      `SELECT toString(count()) AS n, any(${lines.path}) AS path, any(_file) AS file FROM ${lines.from}`,
      { ...lines.more, signal },
    )
    .catch(onFailure)
  if (typeof about === 'string') return null
  const { n = '0', path = '', file = '' } = about[0] ?? {}
  const records = Number(n) - headLines(format)
  if (records <= 0) return null
  // One more than is salvaged: an object with more of them is given up as a whole.
  const shapeless = await questions.rows<{ n: string }>(
    `SELECT toString(n) AS n FROM ${numbered(lines.from)} WHERE NOT ${lines.isWhole} LIMIT ${maxBadLines + 1}`,
    { ...lines.more, signal },
  )
  const passedOver = shapeless.map((line) => Number(line.n))
  const select = plan.select
    .replaceAll('`_path`', quoteString(path))
    .replaceAll('`_file`', quoteString(file))
    .replaceAll('`_size`', String(object.bytes))
  const from = `SELECT ${select} FROM input(${quoteString(plan.structure)}) FORMAT ${format}`

  async function insert(table: string): Promise<number[] | null> {
    const body = await questions.open(`SELECT line FROM ${lines.from} WHERE ${lines.isWhole}`, {
      ...{ ...lines.more, format: 'TSVRaw', signal },
    })
    const settings = {
      ...{ ...readingSettings, ...lines.settings, ...oneBlock(target, '') },
      // The staging table is loaded once or not at all.
      insert_deduplicate: '0',
    }
    const text = await questions
      .run(`INSERT INTO ${table} ${from}`, { body, records: records - passedOver.length, settings, signal })
      .catch(reasonOfData)
    if (typeof text !== 'string' || text === '') return null
    return joined((JSON.parse(text) as { rejects: number[] }).rejects, passedOver)
  }

  const bad = await insert(into.nowhere)
  if (bad === null || bad.length > Math.min(maxBadLines, records / 2)) return null
  const names = plan.columns.map(({ name }) => quoteIdentifier(name)).join(', ')
  return insert(`${into.table} (${names})`)
}

/** The places of bad lines among all lines, in order. `rejects` count the lines that were not passed over. */
function joined(rejects: readonly number[], passedOver: readonly number[]): number[] {
  let before = 0
  const places = rejects.map((reject) => {
    while ((passedOver[before] ?? Number.POSITIVE_INFINITY) <= reject + before) before += 1
    return reject + before
  })
  return [...places, ...passedOver].sort((one, other) => one - other)
}

/** The bad lines of an object with their bytes; positions count the records of the object from 1. */
export async function* badLines(
  { questions, objects, onFailure }: Omit<Salvaging, 'target'>,
  { key, bytes, ordinals, plan, nowhere, reason }: BadLines,
  signal: AbortSignal,
): AsyncGenerator<BadRecord> {
  const { format } = objects
  const lines = await linesOf(objects, { key, etag: '', bytes })
  const skipped = headLines(format)
  const read = async (numbers: readonly number[]) => {
    const sql = `SELECT n, base64Encode(line) AS line FROM ${numbered(lines.from)} WHERE n IN (${numbers.join(', ')}) ORDER BY n`
    const rows = await questions.rows<{ line: string }>(sql, { ...lines.more, signal }).catch(onFailure)
    // An object that is gone by now leaves the places of its lines.
    if (typeof rows === 'string') return numbers.map(() => Buffer.alloc(0))
    return rows.map(({ line }) => Buffer.from(line, 'base64'))
  }
  const [head] = skipped === 0 ? [] : await read([0])
  let seen = 0
  for (let at = 0; at < ordinals.length; at += pageLines) {
    const page = ordinals.slice(at, at + pageLines)
    const found = await read(page.map((ordinal) => ordinal + skipped))
    for (const [index, raw] of found.entries()) {
      const position = String((page[index] ?? 0) + 1)
      const own = raw.length > 0 && seen++ < maxReasons ? await reasonOf(raw) : ''
      yield { source: key, position, code: 'parse', reason: own || reason, raw }
    }
  }

  async function reasonOf(raw: Uint8Array): Promise<string> {
    const from = `SELECT ${plan.select.replaceAll(/`_(?:path|file)`/g, `''`).replaceAll('`_size`', '0')}`
    const statement = `INSERT INTO ${nowhere} ${from} FROM input(${quoteString(plan.structure)}) FORMAT ${format}`
    const settings = { ...readingSettings, ...lines.settings }
    const body = (function* () {
      if (head) yield* [head, newline]
      yield* [raw, newline]
    })()
    const outcome = await questions
      .run(statement, { body: stream(body), settings, signal })
      .catch(reasonOfData)
    return typeof outcome === 'string' ? '' : outcome.reason
  }
}

export interface BadLines {
  key: string
  bytes: number
  ordinals: readonly number[]
  plan: Reading
  nowhere: string
  /** That of the whole object. */
  reason: string
}

const pageLines = 1_000
const newline = Buffer.from('\n')

async function* stream(parts: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* parts
}

const numbered = (from: string): string => `(SELECT row_number() OVER () - 1 AS n, line FROM ${from})`

/** The lines that hold the names of columns. */
export const headLines = (format: string): number => (format.endsWith('WithNames') ? 1 : 0)

async function linesOf(objects: Objects, object: SourceObject) {
  const { reading, endpoints } = await objects.reading([object], 'LineAsString')
  const table = reading.from('line String')
  const isJson = objects.format.startsWith('JSON')
  // The engine takes the next lines for the rest of an object that is cut off.
  const isWhole = isJson
    ? `(startsWith(trimLeft(line, ' \\t\\r'), '{') AND endsWith(trimRight(line, ' \\t\\r,'), '}'))`
    : 'true'
  // Between records of JSON, blank lines are nothing.
  const from = isJson ? `(SELECT line, _path, _file FROM ${table} WHERE notEmpty(trimBoth(line)))` : table
  // In one thread the lines come in their order.
  const settings = { ...reading.settings, max_threads: '1', input_format_parallel_parsing: '0' }
  return { from, isWhole, path: reading.path, settings: reading.settings, more: { settings, endpoints } }
}

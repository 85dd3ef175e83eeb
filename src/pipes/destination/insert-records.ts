import { createHash } from 'node:crypto'
import { writeColumns } from '../../lib/clickhouse/column-list.ts'
import { quoteIdentifier, quoteString } from '../../lib/clickhouse/identifiers.ts'
import { DestinationError, type SpooledRecords } from '../destination.ts'
import { isRefusal } from './classify.ts'
import type { BadRecord } from './errors-table.ts'
import { findRejects, type Range, rangesWithout } from './find-rejects.ts'
import { planReading, type Reading, readingSettings } from './mapping.ts'
import { EngineFailure, type Questions } from './questions.ts'
import { findViolations, placeColumn } from './refused-records.ts'
import type { Target } from './target.ts'
import { withTwin } from './twin.ts'

/** The reasons of so many rejected records are looked up: each takes a statement. */
const maxReasons = 32
const unnamed = 'the record cannot be read; other records of the batch have the reason'

export interface InsertedRecords {
  rows: number
  /** Ordinals and reasons of the records that are not in the table, ascending. */
  rejects: ReadonlyMap<number, string>
  /** Those of them that can be read, but that the table does not take. */
  refused?: ReadonlySet<number>
}

/**
 * Inserts a batch as one block with its token, without the records that cannot be read. First the engine is asked to
 * leave them out itself; where it cannot tell them apart, they are found by halving, without inserting anything, and the
 * others are inserted alone. What the table refuses is found by a twin of it.
 */
export async function insertRecords(
  { questions, target }: { questions: Questions; target: Target },
  { token, content }: { token: string; content: SpooledRecords },
  signal: AbortSignal,
): Promise<InsertedRecords> {
  const { format, records } = content
  const reading = planReading({ format, mappings: target.mappings, columns: target.columns })
  const settings = { ...readingSettings, ...content.settings }
  const from = `FROM input(${quoteString(reading.structure)}) FORMAT ${format}`
  const nowhere = `INSERT INTO FUNCTION null(${quoteString(writeColumns(reading.columns))}) SELECT ${reading.select} ${from}`

  /** A binary format is read as a whole or not at all, and one record of it may be several rows. */
  const counting = (expected: number) => (isText(format) ? { records: expected } : {})

  const insertInto = (
    table: string,
    ranges: readonly Range[],
    more: { settings: Record<string, string>; queryId?: string },
    [column, value] = ['', ''],
  ): Promise<string> =>
    questions.run(
      `INSERT INTO ${table} (${namesOf(reading)}${column}) SELECT ${reading.select}${value} ${from}`,
      {
        body: open(content, ranges),
        ...counting(countOf(ranges)),
        ...{ ...more, settings: { ...settings, ...more.settings }, signal },
      },
    )

  const insert = async (ranges: readonly Range[]): Promise<RecordCount | null> =>
    readCount(
      await insertInto(target.name, ranges, {
        ...{ settings: oneBlock(target, token), queryId: queryIdOf(token) },
      }),
    )

  /** Reads records and inserts them nowhere. */
  async function probe(range: Range): Promise<readonly number[] | string> {
    const one = { body: open(content, [range]), ...counting(range.to - range.from), settings, signal }
    const outcome = await questions.run(nowhere, one).catch(reasonOfData)
    return typeof outcome === 'string' ? (readCount(outcome)?.rejects ?? []) : outcome.reason
  }

  /** Records that the table does not take, though they can be read. None is found where it can have no twin. */
  async function findRefused(readable: readonly Range[]): Promise<Map<number, string>> {
    // The twin is written once, and equal records are no repetition.
    const whole = { settings: { ...oneBlock(target, ''), insert_deduplicate: '0' } }
    const place = [`, ${placeColumn}`, ', rowNumberInAllBlocks()'] as [string, string]
    const refusing = {
      ...{ questions, target, token },
      insertInto: (twin: string) => insertInto(twin, readable, whole, place),
    }
    const places = await findViolations(refusing, countOf(readable), signal)
    if (places === null || places.size === 0) return halveRefused()
    const ordinals = readable.flatMap(({ from: first, to }) =>
      Array.from({ length: to - first }, (_, index) => first + index),
    )
    return new Map([...places].map(([place, reason]) => [ordinals[place] ?? 0, reason]))
  }

  /** Inserts records into a twin of the table. */
  const halveRefused = (): Promise<Map<number, string>> =>
    withTwin({ questions, target, token }, signal, (twin) =>
      findRejects(records, async (range) => {
        const one = { settings: target.insertSettings }
        const outcome = await insertInto(twin, [range], one).catch(reasonOfRefusal)
        return typeof outcome === 'string' ? (readCount(outcome)?.rejects ?? []) : outcome.reason
      }),
    ).catch((error) => {
      if (error instanceof EngineFailure && error.meaning !== 'retry') return new Map()
      throw error
    })

  async function reasonOf(ordinal: number): Promise<string> {
    const one = { body: open(content, [{ from: ordinal, to: ordinal + 1 }]), settings, signal }
    const outcome = await questions.run(nowhere, one).catch(reasonOfData)
    return typeof outcome === 'string' ? unnamed : outcome.reason
  }

  async function withReasons(ordinals: Iterable<number>): Promise<Map<number, string>> {
    const rejects = new Map<number, string>()
    for (const ordinal of ordinals) {
      rejects.set(ordinal, rejects.size < maxReasons ? await reasonOf(ordinal) : unnamed)
    }
    return rejects
  }

  if (records === 0) return { rows: 0, rejects: new Map() }
  const first = await insert([{ from: 0, to: records }]).catch(reasonOfRefusal)
  if (first === null) return { rows: records, rejects: new Map() }
  if ('rows' in first) return { rows: first.rows, rejects: await withReasons(first.rejects) }
  const found = await findRejects(records, probe)
  const rest = [...rangesWithout(found.keys(), records)]
  const reasons = await withReasons(
    [...found].filter(([, reason]) => reason === '').map(([ordinal]) => ordinal),
  )
  for (const [ordinal, reason] of reasons) found.set(ordinal, reason)
  if (rest.length === 0) return { rows: 0, rejects: found }
  const second = await insert(rest).catch(reasonOfRefusal)
  if (second === null || 'rows' in second)
    return { rows: second?.rows ?? records - found.size, rejects: found }
  // The records can be read, but the table refuses some of them; or one of its views throws, which keeps no record out
  // of the table.
  const all = new Map([...(await findRefused(rest)), ...found].sort(([one], [other]) => one - other))
  const refused = new Set([...all.keys()].filter((ordinal) => !found.has(ordinal)))
  if (refused.size === 0) throw new DestinationError('stop', second.reason)
  const taken = [...rangesWithout(all.keys(), records)]
  if (taken.length === 0) return { rows: 0, rejects: all, refused }
  const third = await insert(taken).catch(reasonOfRefusal)
  if (third !== null && 'reason' in third) throw new DestinationError('stop', third.reason)
  return { rows: third?.rows ?? records - all.size, rejects: all, refused }
}

/** The rejected records with their bytes, those that the source itself rejected last. */
export async function* badRecords(
  content: SpooledRecords,
  { rejects, refused }: Pick<InsertedRecords, 'rejects' | 'refused'>,
): AsyncGenerator<BadRecord> {
  if (rejects.size > 0) {
    for await (const { ordinal, source, position, raw } of content.recordsAt([...rejects.keys()])) {
      const code = refused?.has(ordinal) ? 'refused' : 'parse'
      yield { source, position, raw, code, reason: rejects.get(ordinal) ?? '' }
    }
  }
  for await (const record of content.rejected()) yield record
}

/** One block, so that the token stands for the whole batch however often it is repeated. */
export function oneBlock(
  { insertSettings }: Pick<Target, 'insertSettings'>,
  token: string,
): Record<string, string> {
  return {
    ...insertSettings,
    insert_deduplication_token: token,
    // The views of a table whose block is known already may have missed it.
    deduplicate_blocks_in_dependent_materialized_views: '1',
    max_threads: '1',
    max_insert_threads: '1',
    min_insert_block_size_rows: '1000000000000',
    min_insert_block_size_bytes: '1000000000000000',
    max_partitions_per_insert_block: '0',
  }
}

export const namesOf = ({ columns }: Reading): string =>
  columns.map(({ name }) => quoteIdentifier(name)).join(', ')

/** A statement that still runs refuses its repetition by its id. */
export const queryIdOf = (token: string): string =>
  `pipe-${createHash('sha256').update(token).digest('hex').slice(0, 32)}`

const countOf = (ranges: readonly Range[]): number => ranges.reduce((sum, { from, to }) => sum + to - from, 0)

const isText = (format: string): boolean => /^(JSON|CSV|TabSeparated|TSV)/.test(format)

interface RecordCount {
  rows: number
  rejects: readonly number[]
}

/** null = the engine does not count records, so it has read all of them. */
const readCount = (text: string): RecordCount | null =>
  text === '' ? null : (JSON.parse(text) as RecordCount)

export function reasonOfData(error: unknown): { reason: string } {
  if (error instanceof EngineFailure && error.meaning === 'data') return { reason: error.message }
  throw error
}

/** As `reasonOfData`, also where the table refuses rows. */
function reasonOfRefusal(error: unknown): { reason: string } {
  if (error instanceof EngineFailure && isRefusal(error.code)) return { reason: error.message }
  return reasonOfData(error)
}

async function* open(content: SpooledRecords, ranges: readonly Range[]): AsyncGenerator<Uint8Array> {
  if (content.head !== undefined) yield content.head
  for (const range of ranges) {
    // The place of a record must be looked for; that of the first and the last is known.
    const isWhole = range.from === 0 && range.to === content.records
    yield* isWhole ? content.open() : content.open(range)
  }
}

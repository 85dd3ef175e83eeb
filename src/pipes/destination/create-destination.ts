import { type Destination, DestinationError, type Inserted, type JournalledBatch } from '../destination.ts'
import type { ObjectStorageLimits } from '../object-storage/open-store.ts'
import type { AppliedPipe } from '../runtime.ts'
import type { PipeWarehouse } from '../warehouse.ts'
import { createChangesDestination } from './changes/create-changes-destination.ts'
import { ensureDeduplication } from './deduplication.ts'
import { createEngineObjects } from './engine-objects.ts'
import { type BadRecord, createErrorsTable, errorsTableName, nameOf, writeErrors } from './errors-table.ts'
import { badObjects, insertObjects, type Objects } from './insert-objects.ts'
import { badRecords, insertRecords } from './insert-records.ts'
import { createLedger } from './ledger.ts'
import { createQuestions, secretTexts, toDestinationError } from './questions.ts'
import { prepareTable } from './tables.ts'
import type { Target } from './target.ts'

export interface DestinationParts {
  pipe: Pick<AppliedPipe, 'id' | 'spec' | 'secrets'>
  warehouse: PipeWarehouse
  /** For sources of objects. */
  objects?: Objects
}

/** The tables of one pipe in its service, for all kinds of sources but databases. */
export function createDestination({ pipe, warehouse, objects }: DestinationParts): Destination {
  const { id, spec, secrets } = pipe
  const { dialect } = warehouse
  const { database, table } = spec.destination
  const questions = createQuestions(warehouse, secretTexts(secrets))
  const ledger = createLedger(questions, id, dialect)
  const insertSettings = Object.fromEntries(
    Object.entries(dialect.deduplication.insertSettings).map(([name, value]) => [name, String(value)]),
  )
  const errorsTable = errorsTableName(table)
  let prepared: { target: Target; delivery: 'exactly_once' | 'at_least_once' } | null = null

  async function prepare(signal: AbortSignal) {
    prepared = null
    const columns = await prepareTable(questions, spec, dialect, signal)
    await questions.run(createErrorsTable(dialect, database, errorsTable), { signal })
    await ledger.create(signal)
    const { isSafe, engine, hasViews } = await ensureDeduplication(
      questions,
      dialect,
      { database, table },
      signal,
    )
    const target: Target = {
      ...{ database, table, name: nameOf(database, table), columns, mappings: spec.fieldMappings },
      ...{ insertSettings, settings: spec.settings, engine, hasViews },
    }
    prepared = { target, delivery: isSafe ? 'exactly_once' : 'at_least_once' }
    return prepared
  }

  async function insert(batch: JournalledBatch, signal: AbortSignal): Promise<Inserted> {
    const { target } = prepared ?? (await prepare(signal))
    const { lane, token } = batch
    const { rows, bad: rejected } = await insertContent(target, batch, signal)
    const seen = { count: 0, reason: '' }
    const bad = counted(rejected, seen)
    const about = { pipe: { id, name: spec.name }, database, table: errorsTable, lane, token, signal }
    const one = await bad.next()
    if (!one.done)
      await writeErrors(questions, { ...about, settings: insertSettings, bad: after(one.value, bad) })
    const inserted = { rows, rejected: seen.count, sampleReason: seen.reason }
    await ledger.note(batch, inserted, signal)
    return inserted
  }

  async function insertContent(
    target: Target,
    { token, content }: JournalledBatch,
    signal: AbortSignal,
  ): Promise<{ rows: number; bad: AsyncIterable<BadRecord> }> {
    if (content.kind === 'records') {
      const inserted = await insertRecords({ questions, target }, { token, content }, signal)
      return { rows: inserted.rows, bad: badRecords(content, inserted) }
    }
    if (content.kind === 'changes') throw new DestinationError('bug', 'the source of the pipe is no database')
    if (objects === undefined) throw new DestinationError('bug', 'the source of the pipe has no objects')
    const { rows, bad } = await insertObjects(
      { questions, ledger, target, objects },
      { token, content },
      signal,
    )
    return { rows, bad: badObjects({ questions, target, objects }, bad, signal) }
  }

  return {
    prepare: (signal) => prepare(signal).then(({ delivery }) => ({ delivery }), failed),
    insert: (batch, signal) => insert(batch, signal).catch(failed),
    committed: (signal) => ledger.read(signal).catch(failed),
  }
}

function failed(error: unknown): never {
  throw toDestinationError(error)
}

/** The destination of a pipe of any kind of source. */
export function openDestination(
  { pipe, warehouse }: Omit<DestinationParts, 'objects'>,
  limits: ObjectStorageLimits,
): Destination {
  const { secrets, spec } = pipe
  const { objectStorage, postgres } = spec.source
  if (postgres !== undefined) return createChangesDestination({ pipe, warehouse })
  if (objectStorage === undefined) return createDestination({ pipe, warehouse })
  const objects = createEngineObjects({ source: objectStorage, secrets }, limits)
  return { ...createDestination({ pipe, warehouse, objects }), close: objects.close }
}

/** Counts what passes, and keeps the first reason. */
async function* counted(
  bad: AsyncIterable<BadRecord>,
  seen: { count: number; reason: string },
): AsyncGenerator<BadRecord> {
  for await (const record of bad) {
    seen.count += 1
    seen.reason ||= record.reason
    yield record
  }
}

async function* after(first: BadRecord, rest: AsyncIterable<BadRecord>): AsyncGenerator<BadRecord> {
  yield first
  yield* rest
}

import { writeColumns } from '../../lib/clickhouse/column-list.ts'
import { quoteString } from '../../lib/clickhouse/identifiers.ts'
import { DestinationError } from '../destination.ts'
import type { SourceObject } from '../source.ts'
import { findRejects, rangesWithout } from './find-rejects.ts'
import type { Objects } from './insert-objects.ts'
import { namesOf } from './insert-records.ts'
import { planReading, type Reading, readingSettings, unknownFields } from './mapping.ts'
import { EngineFailure, type Questions } from './questions.ts'
import { salvageLines } from './salvage-lines.ts'
import type { Staging } from './staging.ts'
import type { Target } from './target.ts'

export interface Loading {
  questions: Questions
  target: Target
  objects: Objects
  staging: Staging
}

export interface BadObject {
  key: string
  bytes: number
  code: string
  reason: string
  /** Only these records of it are bad; absent = nothing of it was loaded. */
  lines?: number[]
}

export const virtualFields: ReadonlySet<string> = new Set(['_path', '_file', '_size', '_time'])

export function planOf({ target, objects }: Pick<Loading, 'target' | 'objects'>): Reading {
  const { format } = objects
  const { mappings, columns } = target
  const unknown = unknownFields(format, mappings, virtualFields)
  if (unknown.length > 0) {
    const message = `lines of ${format} have the fields c1, c2, … and not ${unknown.join(', ')}`
    throw new DestinationError('stop', message)
  }
  return planReading({ format, mappings, columns, virtual: virtualFields })
}

export const nowhereOf = ({ columns }: Reading): string =>
  `FUNCTION null(${quoteString(writeColumns(columns))})`

/** Fills the staging table, and resolves with the objects that cannot be read. */
export async function load(
  { questions, target, objects, staging }: Loading,
  all: readonly SourceObject[],
  signal: AbortSignal,
): Promise<BadObject[]> {
  const plan = planOf({ target, objects })

  async function read(into: string, some: readonly SourceObject[], blockBytes: number): Promise<void> {
    const { reading, endpoints } = await objects.reading(some)
    // `_path` may stand for more than the column of this name.
    const select = plan.select.replaceAll('`_path`', reading.path)
    await questions.run(`INSERT INTO ${into} SELECT ${select} FROM ${reading.from(plan.structure)}`, {
      settings: { ...readingSettings, ...reading.settings, ...loadSettings(target, blockBytes) },
      endpoints,
      signal,
    })
  }

  /** With less memory where the blocks are too large for it. Begins with an empty table each time. */
  async function fill(some: readonly SourceObject[]): Promise<void> {
    for (
      let blockBytes = target.settings.db_min_insert_block_size_bytes;
      ;
      blockBytes = smaller(blockBytes)
    ) {
      await staging.create(signal)
      if (some.length === 0) return
      try {
        await read(`${staging.name} (${namesOf(plan)})`, some, blockBytes)
        return
      } catch (error) {
        if (!isOutOfMemory(error) || smaller(blockBytes) === blockBytes) throw error
      }
    }
  }

  const nowhere = nowhereOf(plan)
  const probe = async ({ from, to }: { from: number; to: number }) => {
    const failed = await read(nowhere, all.slice(from, to), smallestBlock).then(() => null, reasonOfObject)
    return failed ?? []
  }

  const failed = await fill(all).then(() => null, reasonOfObject)
  if (failed === null) return []
  const found = await findRejects(all.length, probe)
  const good = [...rangesWithout(found.keys(), all.length)].flatMap(({ from, to }) => all.slice(from, to))
  await fill(good).catch((error: unknown) => {
    // The objects can be read, but the table refuses their rows.
    throw error instanceof EngineFailure ? new DestinationError('stop', error.message) : error
  })
  const parts = { questions, target, objects, onFailure: reasonOfObject }
  const into = { table: staging.name, nowhere }
  const bad: BadObject[] = []
  for (const [ordinal, reason] of found) {
    const object = all[ordinal] ?? { key: '', etag: '', bytes: 0 }
    const lines = await salvageLines(parts, object, plan, into, signal)
    const { key, bytes } = object
    bad.push(
      lines === null
        ? { key, bytes, code: 'unreadable', reason }
        : { key, bytes, code: 'parse', reason, lines },
    )
  }
  return bad
}

/** The pipe's settings; 0 leaves a number to the engine. */
function loadSettings({ settings, insertSettings }: Target, blockBytes: number): Record<string, string> {
  const chosen: Record<string, number> = {
    max_threads: settings.db_max_threads,
    max_insert_threads: settings.db_max_insert_threads,
    max_download_threads: settings.db_max_download_threads,
    min_insert_block_size_bytes: blockBytes,
  }
  return {
    ...insertSettings,
    // A staging table is loaded once or not at all; equal blocks of several objects are no repetition.
    insert_deduplicate: '0',
    max_partitions_per_insert_block: '0',
    parallel_distributed_insert_select: String(settings.db_parallel_distributed_insert_select),
    ...Object.fromEntries(
      Object.entries(chosen)
        .filter(([, value]) => value > 0)
        .map(([name, value]) => [name, String(value)]),
    ),
  }
}

const smallestBlock = 16 * 1024 * 1024
const smaller = (bytes: number): number =>
  bytes === 0 ? smallestBlock : Math.max(smallestBlock, Math.floor(bytes / 8))
const isOutOfMemory = (error: unknown): boolean => error instanceof EngineFailure && error.code === 241

/** The reason why objects cannot be read; rethrows what is not about the objects. */
export function reasonOfObject(error: unknown): string {
  if (!(error instanceof EngineFailure)) throw error
  if (error.meaning === 'data' || (storeErrors.has(error.code) && missing.test(error.message)))
    return error.message
  if (storeErrors.has(error.code) && refused.test(error.message)) {
    throw new DestinationError('stop', `the object storage refuses the engine: ${error.message}`, {
      cause: error,
    })
  }
  throw error
}

const storeErrors = new Set([86, 499, 500])
/** The store has no such object. */
export const missing =
  /NoSuchKey|key does not exist|not found|HTTP (response )?(code|status):? 404|BlobNotFound/i
const refused =
  /Access ?Denied|Forbidden|InvalidAccessKeyId|SignatureDoesNotMatch|AuthenticationFailed|HTTP (response )?(code|status):? 40[13]/i

import type { Client } from 'pg'
import type { TableMapping } from '../../domain/pipe/types.ts'
import type { ChangesBatch, Lane, SourcePipe } from '../source.ts'
import type { SourceTable } from './catalog.ts'
import { postgresOf } from './connection.ts'
import { type Heap, lockHeaps } from './heap.ts'
import { loadPieces } from './load.ts'
import { piecesOf, planLoad } from './load-plan.ts'
import type { Progress } from './progress.ts'
import type { Snapshot } from './snapshot.ts'
import { loadLane, noPlan, type TableState } from './table-state.ts'

export interface TableLoadOptions {
  pipe: SourcePipe
  version: number
  progress: Progress
  /** A batch with so many bytes ends with its piece. */
  enoughBytes: number
  signal: AbortSignal
  /** Describes the source table as the session sees it, or tells why it cannot be loaded. */
  describe(mapping: TableMapping, client: Client): Promise<SourceTable>
  stateOf(target: string): TableState | undefined
  laneOf(name: string): Promise<Lane>
  save(target: string, state: TableState, steps?: ChangesBatch['steps']): Promise<void>
}

/** Tells one load of a table from all others, by the table's comment. */
export const markOf = (pipe: SourcePipe, load: number): string =>
  `granary pipe ${pipe.id}, load ${pipe.resync ?? 0}.${load}`

/** Loads one table with several readers, all of which read at the same moment. */
export async function loadTable(
  options: TableLoadOptions,
  mapping: TableMapping,
  snapshot: Snapshot,
): Promise<void> {
  const { pipe, progress, enoughBytes, signal, laneOf, save } = options
  const target = mapping.targetTable
  const readers: Client[] = []
  try {
    const first = await snapshot.open()
    readers.push(first)
    const { table, heaps, since } = await begin(options, mapping, snapshot, first)
    const total = piecesOf(table.plan)
    const count = Math.max(1, postgresOf(pipe).settings.initialLoadParallelism)
    const busy = Math.min(count, total)
    while (readers.length < busy) readers.push(await snapshot.open())
    const lanes = await Promise.all(
      Array.from({ length: busy }, (_, reader) => laneOf(loadLane(target, reader))),
    )
    const done = lanes.reduce((sum, lane, reader) => sum + doneOf(lane, table.load, reader, count), 0)
    progress.loading(target, table.plan.rows, { total, done })
    const ended = new AbortController()
    const both = AbortSignal.any([signal, ended.signal])
    const names = new Map(heaps.map(({ oid, name }) => [oid, name]))
    const work = lanes.map((lane, reader) =>
      loadPieces({
        ...{ target, table, lane, reader, readers: count, signal: both, client: readers[reader] ?? first },
        ...{ enoughBytes, since: reader === 0 ? since : null },
        nameOf: (oid) => names.get(oid) ?? '',
        loaded: (rows, pieces) => progress.loaded(target, rows, pieces),
      }).catch((error: unknown) => {
        ended.abort(error)
        throw error
      }),
    )
    const results = await Promise.allSettled(work)
    const failed = results.find((result) => result.status === 'rejected')
    if (failed) throw ended.signal.aborted ? ended.signal.reason : failed.reason
    const swap = { do: 'swap' as const, target, mark: markOf(pipe, table.load) }
    await save(target, { ...table, state: 'loaded', plan: noPlan }, table.isSide ? [swap] : [])
    progress.finished(target)
  } finally {
    await Promise.all(readers.map((client) => client.end().catch(() => undefined)))
  }
}

interface Begun {
  table: TableState
  heaps: Heap[]
  /** The snapshot of the load's first try, where this is a later one. */
  since: string | null
}

/**
 * Begins a load, or goes on with one whose finished pieces still hold: those of a table with a key, whose rows still lie
 * where they lay. Rows that were changed since are read again and come in the stream too.
 */
async function begin(
  { pipe, version, describe, stateOf, save }: TableLoadOptions,
  mapping: TableMapping,
  snapshot: Snapshot,
  client: Client,
): Promise<Begun> {
  const target = mapping.targetTable
  const before = stateOf(target)
  const { columns, key, oid, parts } = await describe(mapping, client)
  const heaps = await lockHeaps(client, parts)
  const isKeyed = key.length > 0 && mapping.tableEngine === 'ReplacingMergeTree'
  const isSame =
    before?.state === 'loading' &&
    JSON.stringify([before.oid, before.columns, before.key]) === JSON.stringify([oid, columns, key])
  if (before && isSame && isKeyed && sameHeaps(before, heaps))
    return { table: before, heaps, since: before.snapshot }
  const load = (before?.load ?? 0) + 1
  const isSide = before === undefined ? (pipe.resync ?? 0) > 0 : isSame ? before.isSide : true
  const table: TableState = {
    ...{ state: 'loading', oid, columns, key, parts, load, isSide, reason: '' },
    ...{ snapshot: snapshot.transactions, snapshotLsn: snapshot.lsn },
    plan: await planLoad(client, { heaps, version, mapping, settings: postgresOf(pipe).settings }),
  }
  await save(target, table, [
    { do: 'create', target, isSide, columns, key, mark: markOf(pipe, load) },
    // Rows of an earlier try, all of which have the version 0.
    ...(before && !isSide ? [{ do: 'empty' as const, target, isSide, before: '1' }] : []),
  ])
  return { table, heaps, since: null }
}

const sameHeaps = ({ plan }: TableState, heaps: readonly Heap[]): boolean =>
  plan.parts.length === heaps.length &&
  heaps.every(({ oid, file }) => plan.parts.some((part) => part.oid === oid && part.file === file))

/** Pieces of a reader that are in the warehouse. */
function doneOf({ position }: Lane, load: number, reader: number, readers: number): number {
  const at = position === null ? null : (JSON.parse(position) as { load: number; next: number })
  return at?.load === load ? (at.next - reader) / readers : 0
}

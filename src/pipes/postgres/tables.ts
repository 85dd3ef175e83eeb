import type { Client } from 'pg'
import type { TableMapping } from '../../domain/pipe/types.ts'
import { createSlots } from '../../lib/slots.ts'
import { type ChangesBatch, type Lane, type ReadTask, SourceError } from '../source.ts'
import { describeTable, type SourceTable } from './catalog.ts'
import { postgresOf, quoted } from './connection.ts'
import { loadPieces, piecesOf, planLoad } from './load.ts'
import type { Progress } from './progress.ts'
import { type Snapshot, takeSnapshot } from './snapshot.ts'
import { loadLane, noPlan, readState, type TableState, tableLane, writeState } from './table-state.ts'

/** The tables of one pipe, and what the journal knows of each. */
export interface Tables {
  /** Notes which mappings are gone, and reads the others. */
  open(): Promise<void>
  /** Whether every table is loaded. */
  isLoaded(): boolean
  /** Loads the tables that are not. */
  load(): Promise<void>
  /** Makes tables that are only followed. */
  createEmpty(): Promise<void>
  loaded(): { mapping: TableMapping; state: TableState }[]
  save(target: string, state: TableState, steps?: ChangesBatch['steps']): Promise<void>
}

export interface TablesOptions {
  task: ReadTask
  catalog: Client
  version: number
  progress: Progress
  lease(name: string): Promise<Lane>
}

export function createTables({ task, catalog, version, progress, lease }: TablesOptions): Tables {
  const { pipe, signal } = task
  const { settings, tableMappings } = postgresOf(pipe)
  const states = new Map<string, TableState>()
  const lanes = new Map<string, Lane>()

  async function laneOf(name: string): Promise<Lane> {
    const lane = lanes.get(name) ?? (await lease(name))
    lanes.set(name, lane)
    return lane
  }

  async function save(target: string, state: TableState, steps: ChangesBatch['steps'] = []): Promise<void> {
    const lane = await laneOf(tableLane(target))
    const last = writeState(state)
    await lane.commit({
      first: lane.position ?? '',
      last,
      content: { spool: lane.changes(), steps },
      sourceBytes: 0,
    })
    states.set(target, state)
  }

  /** Everything of the source that a load needs, or why it cannot be. */
  async function describe(mapping: TableMapping): Promise<SourceTable> {
    const table = await describeTable(catalog, mapping, settings)
    const name = `${mapping.sourceSchemaName}.${mapping.sourceTable}`
    if (table === null) throw new SourceError('stop', `The table ${name} does not exist.`)
    const [problem] = table.problems
    if (problem !== undefined) throw new SourceError('stop', `The table ${name}: ${problem}.`)
    return table
  }

  /** Begins a load, or goes on with one whose finished pieces still hold. */
  async function begin(mapping: TableMapping, snapshot: Snapshot, client: Client): Promise<TableState> {
    const target = mapping.targetTable
    const before = states.get(target)
    const table = await describe(mapping)
    const isKeyed = table.key.length > 0 && mapping.tableEngine === 'ReplacingMergeTree'
    const { columns, key, oid } = table
    const isSame =
      before?.state === 'loading' &&
      JSON.stringify([before.oid, before.columns, before.key]) === JSON.stringify([oid, columns, key])
    if (before && isSame && isKeyed) return before
    const load = (before?.load ?? 0) + 1
    const isSide =
      before === undefined
        ? (pipe.resync ?? 0) > 0
        : before.state === 'loading' && isSame
          ? before.isSide
          : true
    const mark = markOf(load)
    const state: TableState = {
      ...{ state: 'loading', oid, columns, key, load, isSide, reason: '' },
      ...{ snapshot: snapshot.transactions, snapshotLsn: snapshot.lsn },
      plan: await planLoad(client, table.parts, settings, version >= 140_000),
    }
    await save(target, state, [
      { do: 'create', target, isSide, columns, key, mark },
      // Rows of an earlier try, all of which have the version 0.
      ...(before && !isSide ? [{ do: 'empty' as const, target, isSide, before: '1' }] : []),
    ])
    return state
  }

  const markOf = (load: number): string => `granary pipe ${pipe.id}, load ${pipe.resync ?? 0}.${load}`

  async function loadTable(mapping: TableMapping, snapshot: Snapshot): Promise<void> {
    const target = mapping.targetTable
    const readers: Client[] = []
    try {
      const first = await snapshot.open()
      readers.push(first)
      const table = await begin(mapping, snapshot, first)
      const total = piecesOf(table.plan)
      const names = await namesOf(
        first,
        table.plan.parts.map(({ oid }) => oid),
      )
      const count = Math.max(1, settings.initialLoadParallelism)
      const busy = Math.min(count, total)
      while (readers.length < busy) readers.push(await snapshot.open())
      const found = await Promise.all(
        Array.from({ length: busy }, (_, reader) => laneOf(loadLane(target, reader))),
      )
      const done = found.reduce((sum, lane, reader) => sum + doneOf(lane, table.load, reader, count), 0)
      progress.loading(target, table.plan.rows, { total, done })
      const ended = new AbortController()
      const both = AbortSignal.any([signal, ended.signal])
      const work = found.map((lane, reader) =>
        loadPieces({
          ...{ target, table, lane, reader, readers: count, signal: both, client: readers[reader] ?? first },
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
      const swap = { do: 'swap' as const, target, mark: markOf(table.load) }
      await save(target, { ...table, state: 'loaded', plan: noPlan }, table.isSide ? [swap] : [])
      progress.finished(target)
    } finally {
      await Promise.all(readers.map((client) => client.end().catch(() => undefined)))
    }
  }

  const missing = () => tableMappings.filter((each) => states.get(each.targetTable)?.state !== 'loaded')

  return {
    save,
    async open() {
      const targets = new Set(tableMappings.map((each) => each.targetTable))
      for (const { name, position } of await task.lanes()) {
        if (!name.startsWith('table:')) continue
        const target = name.slice('table:'.length)
        const state = readState(position)
        states.set(target, state)
        if (!targets.has(target) && state.state !== 'removed')
          await save(target, { ...state, state: 'removed' })
      }
    },
    isLoaded: () => missing().length === 0,
    async load() {
      const waiting = missing()
      if (waiting.length === 0) return
      const snapshot = await takeSnapshot(pipe)
      const slots = createSlots({
        max: Math.max(1, settings.snapshotNumberOfParallelTables),
        maxWaiting: Number.POSITIVE_INFINITY,
      })
      try {
        const ended = await Promise.allSettled(
          waiting.map(async (mapping) => {
            const release = await slots.enter(signal)
            try {
              signal.throwIfAborted()
              await loadTable(mapping, snapshot)
            } finally {
              release()
            }
          }),
        )
        const failed = ended.find((result) => result.status === 'rejected')
        if (failed) throw failed.reason
      } finally {
        await snapshot.close()
      }
    },
    async createEmpty() {
      for (const mapping of missing()) {
        const target = mapping.targetTable
        const before = states.get(target)
        if (before?.state === 'reload') {
          const name = `${mapping.sourceSchemaName}.${mapping.sourceTable}`
          const message = `The table ${name}: ${before.reason}, and a pipe with cdc_only cannot load it again: remove its mapping and add it again.`
          throw new SourceError('stop', message)
        }
        const { columns, key, oid } = await describe(mapping)
        const state: TableState = {
          ...{
            state: 'loaded',
            oid,
            columns,
            key,
            load: 1,
            isSide: false,
            snapshot: '',
            plan: noPlan,
            reason: '',
          },
        }
        await save(target, state, [{ do: 'create', target, isSide: false, columns, key, mark: markOf(1) }])
      }
    },
    loaded: () =>
      tableMappings.flatMap((mapping) => {
        const state = states.get(mapping.targetTable)
        return state?.state === 'loaded' ? [{ mapping, state }] : []
      }),
  }
}

/** Pieces of a reader that are in the warehouse. */
function doneOf({ position }: Lane, load: number, reader: number, readers: number): number {
  const at = position === null ? null : (JSON.parse(position) as { load: number; next: number })
  return at?.load === load ? (at.next - reader) / readers : 0
}

async function namesOf(client: Client, oids: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await client.query<{ oid: number; schema: string; name: string }>(
    `SELECT c.oid, n.nspname AS schema, c.relname AS name FROM pg_class c
      JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = ANY($1)`,
    [oids],
  )
  return new Map(rows.map(({ oid, schema, name }) => [oid, `${quoted(schema)}.${quoted(name)}`]))
}

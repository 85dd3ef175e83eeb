import type { Client } from 'pg'
import type { TableMapping } from '../../domain/pipe/types.ts'
import { createSlots } from '../../lib/slots.ts'
import { type ChangesBatch, type Lane, type ReadTask, SourceError } from '../source.ts'
import { describeTable, type SourceTable } from './catalog.ts'
import { postgresOf } from './connection.ts'
import type { Progress } from './progress.ts'
import { takeSnapshot } from './snapshot.ts'
import { loadTable, markOf } from './table-load.ts'
import { noPlan, readState, type TableState, tableLane, writeState } from './table-state.ts'
import { writersEnded } from './writers.ts'

/** The tables of one pipe, and what the journal knows of each. */
export interface Tables {
  /** Notes which mappings are gone, and reads the others. */
  open(): Promise<void>
  /** Whether every table is loaded. */
  isLoaded(): boolean
  /** Loads the tables that are not. */
  load(): Promise<void>
  /** Makes tables that are only followed, from this place in the WAL on. */
  createEmpty(lsn: string): Promise<void>
  loaded(): { mapping: TableMapping; state: TableState }[]
  save(target: string, state: TableState, steps?: ChangesBatch['steps']): Promise<void>
}

export interface TablesOptions {
  task: ReadTask
  catalog: Client
  version: number
  progress: Progress
  enoughBytes: number
  lease(name: string): Promise<Lane>
}

export function createTables(options: TablesOptions): Tables {
  const { task, catalog, version, progress, enoughBytes, lease } = options
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
  async function describe(mapping: TableMapping, client: Client): Promise<SourceTable> {
    const table = await describeTable(client, mapping, settings)
    const name = `${mapping.sourceSchemaName}.${mapping.sourceTable}`
    if (table === null) throw new SourceError('stop', `The table ${name} does not exist.`)
    const [problem] = table.problems
    if (problem !== undefined) throw new SourceError('stop', `The table ${name}: ${problem}.`)
    return table
  }

  const loading = {
    ...{ pipe, version, progress, enoughBytes, signal, describe, laneOf, save },
    stateOf: (target: string) => states.get(target),
  }
  /** Tables that were never loaded may be new to the slot or to the publication. */
  async function newcomersSettled(mappings: readonly TableMapping[]): Promise<void> {
    const oids: number[] = []
    for (const mapping of mappings) {
      const { state } = states.get(mapping.targetTable) ?? { state: 'removed' }
      if (state !== 'removed') continue
      const { oid, parts } = await describe(mapping, catalog)
      oids.push(oid, ...parts)
    }
    if (oids.length > 0 && settings.replicationMode !== 'snapshot') await writersEnded(catalog, oids, signal)
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
      await newcomersSettled(waiting)
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
              await loadTable(loading, mapping, snapshot)
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
    async createEmpty(lsn) {
      for (const mapping of missing()) {
        const target = mapping.targetTable
        const before = states.get(target)
        if (before?.state === 'reload') {
          const name = `${mapping.sourceSchemaName}.${mapping.sourceTable}`
          const message = `The table ${name}: ${before.reason}, and a pipe with cdc_only cannot load it again: remove its mapping and add it again.`
          throw new SourceError('stop', message)
        }
        const { columns, key, oid } = await describe(mapping, catalog)
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
        await save(target, state, [
          { do: 'create', target, isSide: false, columns, key, mark: markOf(pipe, 1), upTo: lsn },
        ])
      }
    },
    loaded: () =>
      tableMappings.flatMap((mapping) => {
        const state = states.get(mapping.targetTable)
        return state?.state === 'loaded' ? [{ mapping, state }] : []
      }),
  }
}

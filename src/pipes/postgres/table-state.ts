import type { SourceColumn } from './types.ts'

/**
 * What the pipe knows of one target table, as the position of the lane `table:<target>`. The lanes
 * `load:<target>:<n>` belong to one load, and begin anew with the next one.
 */
export interface TableState {
  /** `reload`: the table must be loaded again; `removed`: its mapping is gone. */
  state: 'loading' | 'loaded' | 'reload' | 'removed'
  oid: number
  columns: SourceColumn[]
  key: string[]
  /** The tables that held rows when the load began; absent in states of earlier versions. */
  parts?: number[]
  /** Numbers the loads of this table. */
  load: number
  /** The load goes into a side table, which takes the place of the live one. */
  isSide: boolean
  /** The transactions that the load's first snapshot sees; '' = the table is not loaded. */
  snapshot: string
  /** A place in the WAL after everything that this snapshot sees; absent in states of earlier versions. */
  snapshotLsn?: string
  plan: LoadPlan
  /** Why the table must be loaded again. */
  reason: string
}

/** How a table is cut into pieces: every part into ranges of blocks, or of the values of a column. */
export interface LoadPlan {
  /** `file` changes when the rows of a part are laid elsewhere. */
  parts: { oid: number; pieces: number; file: string }[]
  blocksPerPiece: number
  /** Where pieces begin, all but the first. */
  split?: { column: string; bounds: string[] }
  rows: number
}

export const tableLane = (target: string): string => `table:${target}`
export const loadLane = (target: string, reader: number): string => `load:${target}:${reader}`
export const changesLane = 'changes'

export const readState = (position: string): TableState => JSON.parse(position) as TableState
export const writeState = (state: TableState): string => JSON.stringify(state)

export const noPlan: LoadPlan = { parts: [], blocksPerPiece: 1, rows: 0 }

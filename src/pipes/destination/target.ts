import type { FieldMapping, PipeSettings } from '../../domain/pipe/types.ts'
import type { TargetColumn } from './types.ts'

/** The table that a pipe writes to, as it was when the pipe was prepared. */
export interface Target {
  database: string
  table: string
  /** Quoted, with its database. */
  name: string
  columns: readonly TargetColumn[]
  mappings: readonly FieldMapping[]
  /** Settings under which the engine recognizes a repeated block. */
  insertSettings: Readonly<Record<string, string>>
  settings: PipeSettings
  /** The table's engine: `MergeTree`, `Null`. */
  engine: string
  /** Materialized views read what is inserted. */
  hasViews: boolean
}

import type { Issue } from '../domain/issue.ts'
import type { PipeSecrets, PipeSpec } from '../domain/pipe/types.ts'
import type { TableDescription } from '../domain/source/types.ts'
import type { SourceCheck, SourcePipe } from './source.ts'

/**
 * Connects to a pipe's source from a confined worker, and reads a sample if asked to. What is wrong with the source is
 * a result; rejects when no worker can run, or the signal aborts.
 */
export type CheckSource = (
  pipe: SourcePipe,
  wanted: { sample: boolean; signal: AbortSignal },
) => Promise<SourceCheck>

/** Looks at the source and the table of a pipe before it is stored. */
export interface PipeChecks {
  /** `sample` = also whether the records of the source can be read. */
  check(pipe: CheckedPipe, wanted: { sample: boolean }): Promise<PipeCheck>
  /** The fields of the records of a source; with mappings, also the rows that the records become. */
  discover(pipe: CheckedPipe): Promise<DiscoveredSchema | { issues: Issue[] }>
}

export interface PipeCheck {
  /** All that is wrong; paths are those of the pipe's request. */
  issues: Issue[]
  /** The tables that a pipe from a database will make; absent = the pipe's destination tells its only table. */
  tables?: TableDescription[]
}

export interface CheckedPipe {
  serviceId: string
  spec: PipeSpec
  secrets: PipeSecrets
}

export interface DiscoveredSchema {
  fields: DiscoveredField[]
  /** The first records: for each field its value as a text, cut where it is long; null = NULL. */
  records: (string | null)[][]
  /** The first records as rows of the destination; absent = no mappings were given. */
  rows?: ConvertedRow[]
}

/** What a record becomes: its values, or the reason why a pipe would reject it. */
export interface ConvertedRow {
  /** For each column its value as a text, cut where it is long; null = NULL, or the column's DEFAULT. */
  values: (string | null)[]
  /** Null = the record becomes a row. */
  reason: string | null
  /** The field at fault; null = it is not known. */
  field: string | null
  /** The beginning of the record; null = it was not read by itself. */
  raw: string | null
}

export interface DiscoveredField {
  /** As `sourceField` of a mapping takes it: `customer.city`. */
  name: string
  /** A type that a column of a table can have. */
  type: string
}

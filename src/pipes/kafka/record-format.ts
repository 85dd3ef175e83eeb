import type { Spool } from '../source.ts'
import type { SourceRecord } from './record-batches.ts'
import type { Place } from './virtual-fields.ts'

/** How the values of records become a file that the engine can read. One per lane. */
export interface RecordFormat {
  /** Loads the schemas that these records name, so that they can be written. */
  prepare(records: readonly SourceRecord[]): Promise<void>
  /** Begins a batch. */
  begin(spool: Spool): BatchWriter
}

export interface BatchWriter {
  /**
   * Puts a record that is no tombstone into the spool, as a row or as a rejected one. False = the record does not
   * fit into this batch's file, and needs the next one; never for the first record of a batch.
   */
  write(record: SourceRecord & { value: Buffer }): boolean
  /** Writes what was held back. */
  end(): void
}

export const sourceNameOf = ({ topic, partition }: Place): string => `${topic}/${partition}`

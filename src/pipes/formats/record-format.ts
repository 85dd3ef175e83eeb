import type { Spool } from '../source.ts'
import type { VirtualField, VirtualValue } from './virtual-fields.ts'

/** What a format asks about the records of one lane, of any kind of source. */
export interface RecordLane<R extends ValueRecord> {
  /** For people: `orders/3`. */
  source: string
  /** The virtual fields that the pipe's mappings name, in a fixed order. */
  virtual: readonly VirtualField[]
  positionOf(record: R): string
  valueOf(name: VirtualField, record: R): VirtualValue
}

export interface ValueRecord {
  /** Null is a tombstone. */
  value: Buffer | null
}

/** How the values of records become a file that the engine can read. One per lane. */
export interface RecordFormat<R extends ValueRecord> {
  /** Loads the schemas that these records name, so that they can be written. */
  prepare(records: readonly R[]): Promise<void>
  /** Begins a batch. */
  begin(spool: Spool): BatchWriter<R>
}

export interface BatchWriter<R extends ValueRecord> {
  /**
   * Puts a record that is no tombstone into the spool, as a row or as a rejected one. False = the record does not
   * fit into this batch's file, and needs the next one; never for the first record of a batch.
   */
  write(record: R & { value: Buffer }): boolean
  /** Writes what was held back. */
  end(): void
}

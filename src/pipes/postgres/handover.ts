import type { Clock } from '../../lib/clock.ts'
import type { Lane } from '../source.ts'
import { type ChangeWriter, createChangeWriter } from './change-writer.ts'
import type { FollowedTable } from './followed-table.ts'
import { type ChangesPosition, writePosition } from './position.ts'
import type { Progress } from './progress.ts'
import { max } from './replication.ts'

/** The way of changes to the warehouse: a batch fills while the one before it is inserted. */
export interface Handover {
  /** Everything before is in the warehouse, and the lane knows: the server may forget it. */
  readonly flushed: bigint
  /** The batch that fills; null = none has begun. */
  readonly writer: ChangeWriter | null
  /** No batch fills, and none is on its way. */
  readonly isIdle: boolean
  /** The batch that fills; it begins here, unless it has begun. */
  open(): ChangeWriter
  /** How long ago the batch began. */
  ageMs(): number
  /** Hands the batch over once the one before it is in the warehouse; `at` then tells where the lane will be. */
  cut(at: () => ChangesPosition): Promise<void>
  /** Moves the lane past WAL that holds nothing for the pipe. */
  move(position: ChangesPosition): Promise<void>
  /** Resolves when what was handed over is in the warehouse. */
  arrived(): Promise<void>
  /** Waits for the batch that is on its way, and forgets the one that fills. */
  close(): Promise<void>
}

export interface HandoverParts {
  lane: Lane
  from: ChangesPosition
  saveTable(table: FollowedTable): Promise<void>
  progress: Progress
  clock: Clock
  /** Called when a batch is in the warehouse. */
  onArrival(): void
  onFailure(error: unknown): void
}

export function createHandover({ lane, progress, clock, saveTable, ...parts }: HandoverParts): Handover {
  let flushed = BigInt(parts.from.lsn)
  let writer: ChangeWriter | null = null
  let begunMs = 0
  let inFlight: Promise<void> | null = null

  async function carry({ spool, sourceBytes, tables }: ChangeWriter, at: ChangesPosition): Promise<void> {
    const touched = [...tables()]
    const steps = touched.flatMap(([, batch]) => batch.finish())
    const dirty = touched.map(([table]) => table).filter(({ isDirty }) => isDirty)
    await lane.commit({
      ...{ first: lane.position ?? '', last: writePosition(at), sourceBytes },
      content: { spool, steps },
    })
    for (const table of dirty) {
      await saveTable(table)
      table.isDirty = false
    }
    flushed = max(flushed, BigInt(at.lsn))
    inFlight = null
    progress.arrived()
    parts.onArrival()
  }

  return {
    get flushed() {
      return flushed
    },
    get writer() {
      return writer
    },
    get isIdle() {
      return writer === null && inFlight === null
    },
    open() {
      if (writer === null) begunMs = clock.now()
      writer ??= createChangeWriter(lane.changes())
      return writer
    },
    ageMs: () => clock.now() - begunMs,
    async cut(at) {
      await inFlight
      const full = writer
      if (full === null) return
      writer = null
      progress.handedOver()
      inFlight = carry(full, at())
      inFlight.catch(parts.onFailure)
    },
    async move(position) {
      await lane.move(writePosition(position))
      flushed = BigInt(position.lsn)
    },
    async arrived() {
      await inFlight
    },
    async close() {
      // A commit that is on its way ends with the batch in the warehouse, or the pipe's end.
      await inFlight?.catch(() => undefined)
      await writer?.spool.discard()
    },
  }
}

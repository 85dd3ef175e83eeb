import type { Client } from 'pg'
import type { Clock } from '../../lib/clock.ts'
import type { Lane, SourcePipe } from '../source.ts'
import { type ChangeWriter, createChangeWriter } from './change-writer.ts'
import { postgresOf } from './connection.ts'
import type { FollowedTable } from './followed-table.ts'
import { createLargeTransactions } from './large-transactions.ts'
import { createTuple, messages, readChange } from './pgoutput.ts'
import { readPosition, writePosition } from './position.ts'
import type { Progress } from './progress.ts'
import { createRelations } from './relations.ts'
import { epochMs, max, openReplication } from './replication.ts'

export interface FollowOptions {
  pipe: SourcePipe
  lane: Lane
  /** Tables by the ids of their relations, also of partitions. */
  tables: Map<number, FollowedTable>
  /** For questions about relations. */
  catalog: Client
  version: number
  /** For transactions that have not committed yet. */
  folder: string
  saveTable(table: FollowedTable): Promise<void>
  progress: Progress
  clock: Clock
  signal: AbortSignal
}

/** A batch is one block for each of its tables. */
const maxBatchBytes = 24 * 1024 * 1024
const statusMs = 5_000

interface Transaction {
  xid: number
  lsn: bigint
  /** Changes so far, and those of them that are in the warehouse already. */
  done: number
  skip: number
}

/**
 * Reads the slot from the lane's position on. The flushed position that the server is told moves only after the lane's:
 * with a batch that is in the warehouse, or past WAL that holds nothing for the pipe. So a slot that is ahead of the lane
 * was moved by somebody else. Resolves with `reload` when a table must be loaded again.
 */
export async function followChanges(options: FollowOptions): Promise<'stopped' | 'reload'> {
  const { pipe, lane, tables, catalog, progress, clock, signal } = options
  const { settings } = postgresOf(pipe)
  const position = readPosition(lane.position ?? '')
  const large = createLargeTransactions(options.folder)
  const [before, after] = [createTuple(), createTuple()]
  let flushed = BigInt(position.lsn)
  let transaction: Transaction | null = null
  /** The transaction whose changes come before its commit; 0 = none. */
  let streaming = 0
  let writer: ChangeWriter | null = null
  let begunMs = 0
  let inFlight: Promise<void> | null = null
  let mustReload = false
  let bytes = 0
  const over = Promise.withResolvers<'stopped' | 'reload'>()
  over.promise.catch(() => undefined)
  const relations = createRelations({
    ...{ tables, catalog, settings, isWanted, reload },
    batchOf: (table) => current().batchOf(table),
  })
  /** What touches the batch runs one after another. */
  let queue: Promise<void> = Promise.resolve()
  let isOver = false
  function enqueue(work: () => Promise<void>): void {
    queue = queue.then(() => (isOver ? undefined : work())).catch(over.reject)
  }
  const replication = await openReplication({
    ...{ pipe, version: options.version, from: flushed, clock, take, enqueue, isOver: () => isOver },
    async asked() {
      await settle()
      replication.sendStatus(flushed, false)
    },
  })
  replication.ended.catch(over.reject)
  const status = setInterval(() => {
    enqueue(settle)
    replication.sendStatus(flushed, true)
    progress.slot(large.bytes)
  }, statusMs)
  const ticking = setInterval(() => enqueue(tick), Math.min(1_000, settings.syncIntervalSeconds * 250))
  const onAbort = () => enqueue(finish)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  progress.streaming()

  try {
    return await over.promise
  } finally {
    clearInterval(status)
    clearInterval(ticking)
    signal.removeEventListener('abort', onAbort)
    // Frames that wait would go into a batch that is discarded here, or into one that comes after the next reader's.
    isOver = true
    await replication.close()
    await queue
    // A commit that is on its way ends with the batch in the warehouse, or the pipe's end.
    await (inFlight as Promise<void> | null)?.catch(() => undefined)
    await (writer as ChangeWriter | null)?.spool.discard()
    large.clear()
  }

  async function finish(): Promise<void> {
    if (transaction === null) await cut()
    await inFlight
    replication.sendStatus(flushed, false)
    over.resolve('stopped')
  }

  function isIdle(): boolean {
    return !writer && !inFlight && !transaction && replication.isTaken
  }

  /** Nothing that was received waits for the warehouse: the server may forget it once the lane knows. */
  async function settle(): Promise<void> {
    if (!isIdle()) return
    progress.caughtUp()
    const { received } = replication
    if (received <= flushed) return
    position.lsn = String(received)
    await lane.move(writePosition(position))
    flushed = received
  }

  /** Promises only where something must be waited for. */
  function take(message: Buffer, at: number, stop: number, lsn: bigint): Promise<void> | undefined {
    const code = message[at] ?? 0
    if (code === messages.streamStart) streaming = message.readUInt32BE(at + 1)
    else if (code === messages.streamStop) streaming = 0
    else if (code === messages.streamAbort)
      large.abort(message.readUInt32BE(at + 1), message.readUInt32BE(at + 5))
    else if (code === messages.streamCommit) return replay(message.subarray(at, stop))
    else if (streaming !== 0) {
      if (kept.has(code)) large.add(streaming, message.readUInt32BE(at + 1), lsn, message, at, stop)
    } else if (code === messages.begin) begin(message.readUInt32BE(at + 17), message.readBigUInt64BE(at + 1))
    else if (code === messages.commit)
      return end(message.readBigUInt64BE(at + 10), message.readBigInt64BE(at + 18))
    else return apply(code, message, at + 1, stop, lsn)
    return undefined
  }

  function begin(xid: number, lsn: bigint): void {
    const { transaction: part } = position
    const skip = part !== null && BigInt(part.lsn) === lsn ? part.done : 0
    transaction = { xid, lsn, done: 0, skip }
  }

  async function replay(message: Buffer): Promise<void> {
    const xid = message.readUInt32BE(1)
    begin(xid, message.readBigUInt64BE(6))
    for (const { lsn, message: each } of large.replay(xid)) {
      if (isOver) return
      // After the kind stands the id of the transaction.
      const work = apply(each[0] ?? 0, each, 5, each.length, lsn)
      if (work !== undefined) await work
    }
    await end(message.readBigUInt64BE(14), message.readBigInt64BE(22))
  }

  async function end(lsn: bigint, timeUs: bigint): Promise<void> {
    transaction = null
    position.lsn = String(lsn)
    position.transaction = null
    progress.committed(Number(timeUs / 1000n) + epochMs)
    if (writer && (writer.rows >= settings.pullBatchSize || isDue())) await cut()
    if (mustReload && !writer) over.resolve('reload')
  }

  function isDue(): boolean {
    return clock.now() - begunMs >= settings.syncIntervalSeconds * 1_000
  }

  async function tick(): Promise<void> {
    if (writer && transaction === null && (isDue() || mustReload)) await cut()
    if (isIdle()) progress.caughtUp()
    if (mustReload && !writer && transaction === null) {
      await inFlight
      over.resolve('reload')
    }
  }

  function current(): ChangeWriter {
    if (writer) return writer
    begunMs = clock.now()
    bytes = 0
    writer = createChangeWriter(lane.changes())
    return writer
  }

  /** A change whose relation's id is at `at`. */
  function apply(
    code: number,
    message: Buffer,
    at: number,
    stop: number,
    lsn: bigint,
  ): Promise<void> | undefined {
    if (code === messages.relation) return relations.relate(message, at)
    if (!counted.has(code) || transaction === null) return undefined
    transaction.done += 1
    if (transaction.done <= transaction.skip) return undefined
    if (code === messages.truncate) return relations.truncate(message, at, lsn)
    const table = tables.get(message.readUInt32BE(at))
    if (table === undefined || !isWanted(table)) return undefined
    const change = readChange(message, code, at, before, after)
    const batch = current()
    batch.write(table, change, message, { before, after, lsn, ordinal: transaction.done })
    bytes += stop - at
    return batch.spool.bytes >= maxBatchBytes ? cut() : undefined
  }

  function isWanted({ state, isSeen }: FollowedTable): boolean {
    return state.state === 'loaded' && transaction !== null && !isSeen(transaction)
  }

  /** From here on the stream passes over the table; its next snapshot sees all that is passed over. */
  async function reload(table: FollowedTable, reason: string): Promise<void> {
    table.state.state = 'reload'
    table.state.reason = reason
    await options.saveTable(table)
    mustReload = true
  }

  /** Hands the batch over; the next one fills while it is inserted. */
  async function cut(): Promise<void> {
    await inFlight
    const full = writer
    if (full === null) return
    writer = null
    progress.handedOver()
    const { lsn } = position
    const part = transaction && { lsn: String(transaction.lsn), done: transaction.done }
    const last = writePosition({ ...position, transaction: part })
    const touched = [...full.tables()]
    const steps = touched.flatMap(([, batch]) => batch.finish())
    const commit = lane.commit({
      ...{ first: lane.position ?? '', last, sourceBytes: bytes },
      content: { spool: full.spool, steps },
    })
    const dirty = touched.map(([table]) => table).filter(({ isDirty }) => isDirty)
    inFlight = commit.then(async () => {
      for (const table of dirty) {
        await options.saveTable(table)
        table.isDirty = false
      }
      flushed = max(flushed, BigInt(lsn))
      inFlight = null
      progress.arrived()
      replication.sendStatus(flushed, false)
    })
    inFlight.catch(over.reject)
  }
}

const counted: ReadonlySet<number> = new Set([
  messages.insert,
  messages.update,
  messages.delete,
  messages.truncate,
])
const kept: ReadonlySet<number> = new Set([...counted, messages.relation])

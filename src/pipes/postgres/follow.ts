import type { Client } from 'pg'
import type { Clock } from '../../lib/clock.ts'
import type { Lane, SourcePipe } from '../source.ts'
import { postgresOf } from './connection.ts'
import type { FollowedTable } from './followed-table.ts'
import { createHandover } from './handover.ts'
import { createLargeTransactions } from './large-transactions.ts'
import { createTuple, messages, readChange } from './pgoutput.ts'
import { readPosition } from './position.ts'
import type { Progress } from './progress.ts'
import { createRelations } from './relations.ts'
import { epochMs, openReplication } from './replication.ts'
import { createVisibility } from './snapshot.ts'

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
const maxTimerMs = 2 ** 31 - 1
const seenPauseMs = 20

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
  let transaction: Transaction | null = null
  /** The transaction whose changes come before its commit; 0 = none. */
  let streaming = 0
  let mustReload = false
  /** Set while a batch waits for its time. */
  let alarm: NodeJS.Timeout | undefined
  const over = Promise.withResolvers<'stopped' | 'reload'>()
  over.promise.catch(() => undefined)
  const handover = createHandover({
    ...{ lane, from: position, saveTable: options.saveTable, progress, clock, onFailure: over.reject },
    onArrival: () => tellServer(false),
  })
  const relations = createRelations({
    ...{ tables, catalog, settings, isWanted, untilSeen, reload },
    batchOf: (table) => handover.open().batchOf(table),
  })
  /** What touches the batch runs one after another. */
  let queue: Promise<void> = Promise.resolve()
  let isOver = false
  function enqueue(work: () => Promise<void>): void {
    queue = queue.then(() => (isOver ? undefined : work())).catch(over.reject)
  }
  const replication = await openReplication({
    ...{ pipe, version: options.version, from: handover.flushed, clock, take, enqueue, isOver: () => isOver },
    async asked() {
      await settle()
      tellServer(false)
    },
  })
  replication.ended.catch(over.reject)
  const status = setInterval(() => {
    enqueue(settle)
    tellServer(true)
    progress.slot(large.bytes)
  }, statusMs)
  const onAbort = () => enqueue(finish)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  progress.streaming()

  try {
    return await over.promise
  } finally {
    clearInterval(status)
    clearTimeout(alarm)
    signal.removeEventListener('abort', onAbort)
    // Frames that wait would go into a batch that is discarded here, or into one that comes after the next reader's.
    isOver = true
    await replication.close()
    await queue
    await handover.close()
    large.clear()
  }

  function tellServer(wantsAnswer: boolean): void {
    replication.sendStatus(handover.flushed, wantsAnswer)
  }

  async function finish(): Promise<void> {
    if (transaction === null) await cut()
    await handover.arrived()
    tellServer(false)
    over.resolve('stopped')
  }

  function isIdle(): boolean {
    return handover.isIdle && !transaction && replication.isTaken
  }

  /** Nothing that was received waits for the warehouse: the server may forget it once the lane knows. */
  async function settle(): Promise<void> {
    if (!isIdle()) return
    progress.caughtUp()
    const { received } = replication
    if (received <= handover.flushed) return
    position.lsn = String(received)
    await handover.move(position)
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
    await cutIfDue()
    if (mustReload) over.resolve('reload')
  }

  /** Between two transactions; within one, its end cuts the batch. */
  function cutIfDue(): Promise<void> | undefined {
    const { writer } = handover
    if (writer === null || transaction !== null) return undefined
    const waitMs = settings.syncIntervalSeconds * 1_000 - handover.ageMs()
    if (waitMs <= 0 || mustReload || writer.rows >= settings.pullBatchSize) return cut()
    alarm ??= setTimeout(
      () => {
        alarm = undefined
        enqueue(async () => cutIfDue())
      },
      Math.min(waitMs, maxTimerMs),
    )
    return undefined
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
    const batch = handover.open()
    batch.write(table, change, message, { before, after, lsn, ordinal: transaction.done })
    batch.sourceBytes += stop - at
    return batch.spool.bytes >= maxBatchBytes ? cut() : undefined
  }

  function isWanted({ state, isSeen }: FollowedTable): boolean {
    return state.state === 'loaded' && transaction !== null && !isSeen(transaction)
  }

  /**
   * The WAL has a commit before other sessions see it: a moment, or as long as it waits for a standby. Until then the
   * catalog is as it was before the transaction.
   */
  async function untilSeen(): Promise<void> {
    for (; transaction !== null; await clock.sleep(seenPauseMs, signal)) {
      signal.throwIfAborted()
      if (isOver) throw new Error('the stream is over')
      const { rows } = await catalog.query<{ now: string }>('SELECT pg_current_snapshot()::text AS now')
      if (createVisibility(rows[0]?.now ?? '')(transaction)) return
    }
  }

  /** From here on the stream passes over the table; its next snapshot sees all that is passed over. */
  async function reload(table: FollowedTable, reason: string): Promise<void> {
    table.state.state = 'reload'
    table.state.reason = reason
    await options.saveTable(table)
    mustReload = true
  }

  function cut(): Promise<void> {
    return handover.cut(() => ({
      ...position,
      transaction: transaction && { lsn: String(transaction.lsn), done: transaction.done },
    }))
  }
}

const counted: ReadonlySet<number> = new Set([
  messages.insert,
  messages.update,
  messages.delete,
  messages.truncate,
])
const kept: ReadonlySet<number> = new Set([...counted, messages.relation])

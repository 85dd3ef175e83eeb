import type { Client } from 'pg'
import type { Clock } from '../../lib/clock.ts'
import { type Lane, SourceError, type SourcePipe } from '../source.ts'
import { type ChangeWriter, createChangeWriter } from './change-writer.ts'
import { connect, literal, postgresOf } from './connection.ts'
import { toSourceError } from './errors.ts'
import { compareRelation, describeRelation, type FollowedTable, placeColumns } from './followed-table.ts'
import { createLargeTransactions } from './large-transactions.ts'
import { newcomerReason } from './newcomers.ts'
import { createTuple, messages, readChange, readRelation, readTruncate } from './pgoutput.ts'
import { readPosition, writePosition } from './position.ts'
import type { Progress } from './progress.ts'
import { openRaw } from './raw-session.ts'
import { formatLsn, publicationOf, slotOf } from './server.ts'
import type { TableState } from './table-state.ts'

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
/** The server waits while so much was received and not taken yet. */
const maxWaitingBytes = 4 * 1024 * 1024
const statusMs = 5_000
/** From the epoch of Postgres, 2000, to that of Unix. */
const epochMs = 946_684_800_000

interface Transaction {
  xid: number
  lsn: bigint
  /** Changes so far, and those of them that are in the warehouse already. */
  done: number
  skip: number
}

/**
 * Reads the slot from the lane's position on. The flushed position that the server is told moves only after the batch is
 * in the warehouse, or past WAL that holds nothing for the pipe. Resolves with `reload` when a table must be loaded again.
 */
export async function followChanges(options: FollowOptions): Promise<'stopped' | 'reload'> {
  const { pipe, lane, tables, catalog, progress, clock, signal } = options
  const { settings } = postgresOf(pipe)
  const position = readPosition(lane.position ?? '')
  const large = createLargeTransactions(options.folder)
  const [before, after] = [createTuple(), createTuple()]
  const frames: { buffer: Buffer; start: number; end: number }[] = []
  let flushed = BigInt(position.lsn)
  let received = flushed
  let transaction: Transaction | null = null
  /** The transaction whose changes come before its commit; 0 = none. */
  let streaming = 0
  let writer: ChangeWriter | null = null
  let begunMs = 0
  let inFlight: Promise<void> | null = null
  let mustReload = false
  let bytes = 0
  /** Of frames that were received and not taken yet. */
  let waitingBytes = 0
  let [isDrainDue, isPaused] = [false, false]
  const over = Promise.withResolvers<'stopped' | 'reload'>()
  over.promise.catch(() => undefined)

  const client = await connect(pipe, { isReplication: true })
  const isStreamed = options.version >= 140_000
  const raw = openRaw(
    client,
    `START_REPLICATION SLOT ${slotOf(pipe)} LOGICAL ${formatLsn(flushed)} (proto_version '${isStreamed ? 2 : 1}',
      publication_names ${literal(`"${publicationOf(pipe).replaceAll('"', '""')}"`)}${isStreamed ? ", streaming 'on'" : ''})`,
    (buffer, start, end) => {
      if (isOver) return
      frames.push({ buffer, start, end })
      waitingBytes += end - start
    },
    () => {
      if (waitingBytes > maxWaitingBytes && !isPaused) {
        isPaused = true
        raw.pause()
      }
      // The server sends every change on its own: those that have come together are taken together.
      if (isDrainDue) return
      isDrainDue = true
      setImmediate(() => enqueue(drain))
    },
  )
  raw.ended.then(
    () => over.reject(new SourceError('retry', 'The server has ended the replication.')),
    (error: unknown) => over.reject(explain(error)),
  )
  /** What touches the batch runs one after another. */
  let queue: Promise<void> = Promise.resolve()
  let isOver = false
  function enqueue(work: () => Promise<void>): void {
    queue = queue.then(() => (isOver ? undefined : work())).catch(over.reject)
  }
  const status = setInterval(() => {
    enqueue(async () => settle())
    sendStatus(true)
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
    // A session that is not read from does not end.
    raw.resume()
    await client.end().catch(() => undefined)
    await queue
    // A commit that is on its way ends with the batch in the warehouse, or the pipe's end.
    await (inFlight as Promise<void> | null)?.catch(() => undefined)
    await (writer as ChangeWriter | null)?.spool.discard()
    large.clear()
  }

  async function finish(): Promise<void> {
    if (transaction === null) await cut()
    await inFlight
    sendStatus(false)
    over.resolve('stopped')
  }

  async function drain(): Promise<void> {
    isDrainDue = false
    waitingBytes = 0
    for (const { buffer, start, end } of frames.splice(0)) {
      if (isOver) return
      if (buffer[start] === 0x77) {
        received = max(received, buffer.readBigUInt64BE(start + 9))
        const work = take(buffer, start + 25, end, buffer.readBigUInt64BE(start + 1))
        if (work !== undefined) await work
      } else if (buffer[start] === 0x6b) {
        received = max(received, buffer.readBigUInt64BE(start + 1))
        settle()
        if (buffer[start + 17] === 1) sendStatus(false)
      }
    }
    if (!isPaused) return
    isPaused = false
    raw.resume()
  }

  /** Nothing that was received waits for the warehouse: the server may forget it. */
  function settle(): void {
    if (writer || inFlight || transaction || frames.length > 0) return
    flushed = max(flushed, received)
    progress.caughtUp()
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
    settle()
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
    if (code === messages.relation) return relate(message, at)
    if (!counted.has(code) || transaction === null) return undefined
    transaction.done += 1
    if (transaction.done <= transaction.skip) return undefined
    if (code === messages.truncate) return truncate(message, at, lsn)
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

  async function relate(message: Buffer, at: number): Promise<void> {
    const relation = readRelation(message, at)
    const known = tables.get(relation.oid)
    const table = known ?? (await rootOf(relation.oid))
    if (table === undefined) return
    tables.set(relation.oid, table)
    describeRelation(table, relation)
    if (!isWanted(table)) return
    const reason = known || !table.state.parts ? '' : await newcomerReason(catalog, relation.oid)
    if (reason !== '') return reload(table, reason)
    const found = await compareRelation(catalog, table, relation, settings)
    if ('reload' in found) return reload(table, found.reload)
    if (found.added.length === 0) return
    current().batchOf(table).push({ do: 'add', target: table.target, columns: found.added })
    table.state.columns.push(...found.added.map(({ missing: _, ...column }) => column))
    table.isDirty = true
    placeColumns(table)
  }

  /** A partition that came later, or a child. */
  async function rootOf(oid: number): Promise<FollowedTable | undefined> {
    const { rows } = await catalog.query<{ oid: number }>(
      `WITH RECURSIVE above(oid) AS (
          SELECT $1::oid UNION SELECT i.inhparent FROM pg_inherits i JOIN above a ON i.inhrelid = a.oid)
        SELECT oid FROM above`,
      [oid],
    )
    const roots = [...tables.values()]
    return roots.find(({ state }) => rows.some((row) => row.oid === state.oid))
  }

  async function truncate(message: Buffer, at: number, lsn: bigint): Promise<void> {
    const oids = readTruncate(message, at)
    for (const table of new Set(oids.flatMap((oid) => tables.get(oid) ?? []))) {
      if (!isWanted(table)) continue
      if (isEmptied(table.state, oids)) {
        current()
          .batchOf(table)
          .push({ do: 'empty', target: table.target, isSide: false, before: String(lsn) })
      } else await reload(table, 'a part of the table was truncated')
    }
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
      sendStatus(false)
    })
    inFlight.catch(over.reject)
  }

  function sendStatus(asksForReply: boolean): void {
    const report = Buffer.alloc(34)
    report[0] = 0x72
    report.writeBigUInt64BE(max(received, flushed), 1)
    report.writeBigUInt64BE(flushed, 9)
    report.writeBigUInt64BE(flushed, 17)
    report.writeBigInt64BE(BigInt(clock.now() - epochMs) * 1000n, 25)
    report[33] = asksForReply ? 1 : 0
    raw.send(report)
  }
}

const counted: ReadonlySet<number> = new Set([
  messages.insert,
  messages.update,
  messages.delete,
  messages.truncate,
])
const kept: ReadonlySet<number> = new Set([...counted, messages.relation])
const max = (one: bigint, other: bigint): bigint => (one > other ? one : other)

/** A table that holds rows itself may be truncated without its children. */
function isEmptied({ oid, parts = [] }: TableState, truncated: readonly number[]): boolean {
  if (!truncated.includes(oid)) return false
  return !parts.includes(oid) || parts.every((part) => truncated.includes(part))
}

/** The slot cannot give what the pipe still needs. */
function explain(error: unknown): unknown {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (
    code === '42704' ||
    (code === '55000' && /slot|WAL/.test(message)) ||
    (code === '58P01' && /WAL/.test(message))
  )
    return new SourceError(
      'stop',
      `The replication slot can no longer be read (${message}): resync the pipe.`,
    )
  return toSourceError(error)
}

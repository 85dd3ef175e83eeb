import type { Clock } from '../../lib/clock.ts'
import { SourceError, type SourcePipe } from '../source.ts'
import { connect, literal } from './connection.ts'
import { toSourceError } from './errors.ts'
import { openRaw } from './raw-session.ts'
import { formatLsn, publicationOf, slotOf } from './server.ts'

/** The session that reads a slot. */
export interface Replication {
  /** Everything before this place in the WAL was received, and is taken where `isTaken`. */
  readonly received: bigint
  readonly isTaken: boolean
  /** Tells the server what it may forget, and that the pipe is alive. */
  sendStatus(flushed: bigint, asksForReply: boolean): void
  /** Rejects with the reason when the server ends the session. */
  readonly ended: Promise<never>
  close(): Promise<void>
}

export interface ReplicationOptions {
  pipe: SourcePipe
  version: number
  from: bigint
  clock: Clock
  /** Takes a message of the plugin, and returns a promise only where something must be waited for. */
  take(message: Buffer, at: number, stop: number, lsn: bigint): Promise<void> | undefined
  /** The server wants to know how far the pipe is. */
  asked(): Promise<void>
  /** Runs work that touches the batch, one after another; nothing once reading is over. */
  enqueue(work: () => Promise<void>): void
  isOver(): boolean
}

/** The server waits while so much was received and not taken yet. */
const maxWaitingBytes = 4 * 1024 * 1024
/** From the epoch of Postgres, 2000, to that of Unix. */
export const epochMs = 946_684_800_000
const [walData, keepalive] = [0x77, 0x6b]

export async function openReplication(options: ReplicationOptions): Promise<Replication> {
  const { pipe, version, from, clock, take, asked, enqueue, isOver } = options
  const frames: { buffer: Buffer; start: number; end: number }[] = []
  let received = from
  let waitingBytes = 0
  let [isDrainDue, isPaused] = [false, false]
  const client = await connect(pipe, { isReplication: true })
  const isStreamed = version >= 140_000
  const raw = openRaw(
    client,
    `START_REPLICATION SLOT ${slotOf(pipe)} LOGICAL ${formatLsn(from)} (proto_version '${isStreamed ? 2 : 1}',
      publication_names ${literal(`"${publicationOf(pipe).replaceAll('"', '""')}"`)}${isStreamed ? ", streaming 'on'" : ''})`,
    (buffer, start, end) => {
      if (isOver()) return
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
  const ended = raw.ended.then(
    () => {
      throw new SourceError('retry', 'The server has ended the replication.')
    },
    (error: unknown) => {
      throw explain(error)
    },
  )
  ended.catch(() => undefined)

  async function drain(): Promise<void> {
    isDrainDue = false
    waitingBytes = 0
    for (const { buffer, start, end } of frames.splice(0)) {
      if (isOver()) return
      if (buffer[start] === walData) {
        received = max(received, buffer.readBigUInt64BE(start + 9))
        const work = take(buffer, start + 25, end, buffer.readBigUInt64BE(start + 1))
        if (work !== undefined) await work
      } else if (buffer[start] === keepalive) {
        received = max(received, buffer.readBigUInt64BE(start + 1))
        if (buffer[start + 17] === 1) await asked()
      }
    }
    if (!isPaused) return
    isPaused = false
    raw.resume()
  }

  return {
    ended,
    get received() {
      return received
    },
    get isTaken() {
      return frames.length === 0
    },
    sendStatus(flushed, asksForReply) {
      const report = Buffer.alloc(34)
      report[0] = 0x72
      report.writeBigUInt64BE(max(received, flushed), 1)
      report.writeBigUInt64BE(flushed, 9)
      report.writeBigUInt64BE(flushed, 17)
      report.writeBigInt64BE(BigInt(clock.now() - epochMs) * 1000n, 25)
      report[33] = asksForReply ? 1 : 0
      raw.send(report)
    },
    async close() {
      // A session that is not read from does not end.
      raw.resume()
      await client.end().catch(() => undefined)
    },
  }
}

export const max = (one: bigint, other: bigint): bigint => (one > other ? one : other)

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
      `The replication slot can no longer be read (${message}): resync the pipe to load its tables again.`,
    )
  return toSourceError(error)
}

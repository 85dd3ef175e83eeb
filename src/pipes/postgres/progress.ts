import type { Client } from 'pg'
import type { Clock } from '../../lib/clock.ts'
import type { ReadTask, SourceProgress } from '../source.ts'

/** What people see of the work of a pipe: loads table by table, then how far the stream is behind. */
export interface Progress {
  /** A table is loaded; `rows` is an estimate, `pieces` the parts in all and those that were there before. */
  loading(target: string, rows: number, pieces: { total: number; done: number }): void
  loaded(target: string, rows: number, pieces: number): void
  finished(target: string): void
  streaming(): void
  /** The stream has read a transaction of this time. */
  committed(timeMs: number): void
  /** The transactions that were read so far are on their way to the warehouse, and then there. */
  handedOver(): void
  arrived(): void
  /** Nothing that was read waits. */
  caughtUp(): void
  /** Asks the server about the slot. */
  slot(spooledBytes: number): void
  report(): void
}

const pauseMs = 1_000

export function createProgress(
  task: Pick<ReadTask, 'report'>,
  { clock, slotName, catalog }: { clock: Clock; slotName: string; catalog: Client },
): Progress {
  const loads = new Map<string, { rows: number; estimate: number; total: number; done: number }>()
  let tablesLoaded = 0
  let isStreaming = false
  /** Times of the oldest transactions that the warehouse lacks: of those that are on their way, and of later ones. */
  let [onTheWayMs, waitingMs]: (number | null)[] = [null, null]
  let reportedMs = 0
  let slot: { slotLagBytes: number; walKeptBytes: number; walStatus: string } | null = null
  let spooled = 0
  let isAsking = false

  function factsOf(): SourceProgress['facts'] {
    const tables = [...loads].map(([target, { rows, estimate, total, done }]) => {
      const percent = total === 0 ? 100 : Math.floor((100 * done) / total)
      return [`table ${target}`, `${percent} %: ${rows} rows of about ${Math.max(rows, estimate)}`] as const
    })
    return {
      ...(tablesLoaded > 0 ? { tablesLoaded } : {}),
      ...Object.fromEntries(tables.slice(0, 100)),
      ...(slot ?? {}),
      ...(spooled > 0 ? { openTransactionBytes: spooled } : {}),
    }
  }

  function report(isUrgent = false): void {
    const nowMs = clock.now()
    if (!isUrgent && nowMs - reportedMs < pauseMs) return
    reportedMs = nowMs
    const ms = isStreaming ? Math.max(0, nowMs - (onTheWayMs ?? waitingMs ?? nowMs)) : null
    const names = [...loads.keys()].slice(0, 3).join(', ')
    task.report({
      ...{ lag: { records: null, ms }, waiting: '', facts: factsOf() },
      ...(isStreaming
        ? {}
        : { loading: loads.size === 0 ? 'the source is being set up' : `loading ${names}` }),
      ...(slot && { pauseNote: pauseText(slot.walKeptBytes) }),
    })
  }

  const pauseText = (bytes: number): string =>
    `the slot ${slotName} keeps ${(bytes / 1024 ** 2).toFixed(1)} MiB of WAL at the source, and more with every change there while the pipe is paused`

  async function ask(): Promise<void> {
    const { rows } = await catalog.query<{ lag: string; kept: string; status: string | null }>(
      `SELECT coalesce(pg_current_wal_lsn() - confirmed_flush_lsn, 0)::text AS lag,
        coalesce(pg_current_wal_lsn() - restart_lsn, 0)::text AS kept, to_jsonb(s) ->> 'wal_status' AS status
        FROM pg_replication_slots s WHERE slot_name = $1`,
      [slotName],
    )
    const [row] = rows
    if (row === undefined) return
    slot = { slotLagBytes: Number(row.lag), walKeptBytes: Number(row.kept), walStatus: row.status ?? '' }
    report(true)
  }

  return {
    loading(target, estimate, { total, done }) {
      isStreaming = false
      loads.set(target, { rows: 0, estimate, total, done })
      report(true)
    },
    loaded(target, rows, pieces) {
      const load = loads.get(target)
      if (load === undefined) return
      load.rows += rows
      load.done += pieces
      report()
    },
    finished(target) {
      loads.delete(target)
      tablesLoaded += 1
      report(true)
    },
    streaming() {
      isStreaming = true
      report(true)
      this.slot(0)
    },
    committed(timeMs) {
      waitingMs ??= timeMs
    },
    handedOver() {
      onTheWayMs = waitingMs
      waitingMs = null
    },
    arrived() {
      onTheWayMs = null
    },
    caughtUp() {
      onTheWayMs = waitingMs = null
    },
    slot(spooledBytes) {
      spooled = spooledBytes
      if (isAsking) return
      isAsking = true
      ask()
        .catch(() => undefined)
        .finally(() => {
          isAsking = false
        })
    },
    report: () => report(true),
  }
}

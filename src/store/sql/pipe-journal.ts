import type { PendingBatch, PipeJournalRepository, PipeLane, PipeRun } from '../store.ts'
import { locked, type SqlContext } from './context.ts'
import { removeHistory } from './history.ts'
import type { Database } from './schema.ts'

export function createPipeJournal(context: SqlContext): PipeJournalRepository {
  const { db, clock } = context
  return {
    async run(pipeId) {
      const row = await db
        .selectFrom('pipe_runs')
        .selectAll()
        .where('pipe_id', '=', pipeId)
        .executeTakeFirst()
      return row ? toRun(row) : null
    },
    async lanes(pipeId) {
      const query = db.selectFrom('pipe_lanes').selectAll().where('pipe_id', '=', pipeId)
      return (await query.orderBy('lane').execute()).map(toLane)
    },
    async lanePlaces(pipeId) {
      const query = db.selectFrom('pipe_lanes').select(['lane', 'position', 'updated_at'])
      const rows = await query.where('pipe_id', '=', pipeId).orderBy('lane').execute()
      return rows.map(({ lane: name, position, updated_at: atMs }) => ({
        ...{ name, position, updatedAtMs: atMs === 0 ? null : atMs },
      }))
    },
    async pending(pipeId) {
      const query = db.selectFrom('pipe_pending').selectAll().where('pipe_id', '=', pipeId)
      return (await query.orderBy('lane').execute()).map(toBatch)
    },
    async saveRun(pipeId, change) {
      await db
        .insertInto('pipe_runs')
        .values({ ...fresh, ...columnsOf(change), pipe_id: pipeId })
        .onConflict((conflict) =>
          conflict.column('pipe_id').doUpdateSet({ ...columnsOf(change), pipe_id: pipeId }),
        )
        .execute()
    },
    async restart(pipeId, resync) {
      await db.deleteFrom('pipe_lanes').where('pipe_id', '=', pipeId).execute()
      await db.deleteFrom('pipe_pending').where('pipe_id', '=', pipeId).execute()
      await this.saveRun(pipeId, { resync, completed: false })
    },
    async lease(pipeId, lane, epoch) {
      const written = await db
        .insertInto('pipe_lanes')
        .values({ pipe_id: pipeId, lane, epoch, position: null, sequence: 0, round: 0, updated_at: 0 })
        .onConflict((conflict) =>
          conflict.columns(['pipe_id', 'lane']).doUpdateSet({ epoch }).where('pipe_lanes.epoch', '<=', epoch),
        )
        .executeTakeFirst()
      return (written.numInsertedOrUpdatedRows ?? 0n) > 0n
    },
    async place(pipeId, { name, epoch, position, sequence, round }) {
      const placed = await db
        .updateTable('pipe_lanes')
        .set({ position, sequence, round, updated_at: clock.now() })
        .where('pipe_id', '=', pipeId)
        .where('lane', '=', name)
        .where('epoch', '=', epoch)
        .executeTakeFirst()
      if (placed.numUpdatedRows === 0n) return false
      await db.deleteFrom('pipe_pending').where('pipe_id', '=', pipeId).where('lane', '=', name).execute()
      return true
    },
    async begin(pipeId, batch, epoch) {
      const held = db.selectFrom('pipe_lanes').select('epoch').where('pipe_id', '=', pipeId)
      const lane = await locked(context, held.where('lane', '=', batch.lane)).executeTakeFirst()
      if (lane?.epoch !== epoch) return false
      // A batch that was begun before is not replaced: its rows may be in the table.
      const begun = await db
        .insertInto('pipe_pending')
        .values(toRow(pipeId, batch))
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      return (begun.numInsertedOrUpdatedRows ?? 0n) > 0n
    },
    async finish(pipeId, { lane, token, last, sequence, sourceBytes }, { rows, rejected }, epoch) {
      const moved = await db
        .updateTable('pipe_lanes')
        .set({ position: last, sequence, updated_at: clock.now() })
        .where('pipe_id', '=', pipeId)
        .where('lane', '=', lane)
        .where('epoch', '=', epoch)
        .executeTakeFirst()
      if (moved.numUpdatedRows === 0n) return false
      await db
        .deleteFrom('pipe_pending')
        .where('pipe_id', '=', pipeId)
        .where('lane', '=', lane)
        .where('token', '=', token)
        .execute()
      await db
        .updateTable('pipe_runs')
        .set((row) => ({
          row_count: row('row_count', '+', rows),
          byte_count: row('byte_count', '+', sourceBytes),
          rejected_count: row('rejected_count', '+', rejected),
        }))
        .where('pipe_id', '=', pipeId)
        .execute()
      return true
    },
  }
}

/** Removes the journal and the history with their pipe. */
export async function removeJournal(context: SqlContext, pipeId: string): Promise<void> {
  const { db } = context
  for (const table of ['pipe_runs', 'pipe_lanes', 'pipe_pending'] as const)
    await db.deleteFrom(table).where('pipe_id', '=', pipeId).execute()
  await removeHistory(context, 'pipe', pipeId)
}

const fresh: Omit<Database['pipe_runs'], 'pipe_id'> = {
  resync: 0,
  row_count: 0,
  byte_count: 0,
  rejected_count: 0,
  prepared_generation: 0,
  delivery: 'exactly_once',
  completed: 0,
}

function columnsOf({ resync, preparedGeneration, delivery, completed }: Partial<PipeRun>) {
  return {
    ...(resync === undefined ? {} : { resync }),
    ...(preparedGeneration === undefined ? {} : { prepared_generation: preparedGeneration }),
    ...(delivery === undefined ? {} : { delivery }),
    ...(completed === undefined ? {} : { completed: completed ? 1 : 0 }),
  }
}

const toRun = (row: Database['pipe_runs']): PipeRun => ({
  resync: row.resync,
  rows: row.row_count,
  bytes: row.byte_count,
  rejected: row.rejected_count,
  preparedGeneration: row.prepared_generation,
  delivery: row.delivery as PipeRun['delivery'],
  completed: row.completed === 1,
})

const toLane = ({ lane: name, epoch, position, sequence, round }: Database['pipe_lanes']): PipeLane => ({
  ...{ name, epoch, position, sequence, round },
})

const toBatch = (row: Database['pipe_pending']): PendingBatch => ({
  lane: row.lane,
  token: row.token,
  first: row.first,
  last: row.last,
  sequence: row.sequence,
  spool: row.spool,
  sourceBytes: row.source_bytes,
})

const toRow = (pipeId: string, batch: PendingBatch): Database['pipe_pending'] => ({
  pipe_id: pipeId,
  lane: batch.lane,
  token: batch.token,
  first: batch.first,
  last: batch.last,
  sequence: batch.sequence,
  spool: batch.spool,
  source_bytes: batch.sourceBytes,
})

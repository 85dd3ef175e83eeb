import { sql } from 'kysely'
import { type HistoryStep, historyKept } from '../../domain/history/points.ts'
import type { HistoryRepository } from '../store.ts'
import type { SqlContext } from './context.ts'

/** One row for each point. The rows of a resource stay few: writing a point removes those that are too old. */
export function createHistory({ db }: SqlContext): HistoryRepository {
  return {
    async write({ kind, id, organizationId, step, startMs, point }) {
      const doc = JSON.stringify(point)
      await db
        .insertInto('history')
        .values({ kind, id, organization_id: organizationId, step, start_at: startMs, doc })
        .onConflict((conflict) => conflict.columns(['kind', 'id', 'step', 'start_at']).doUpdateSet({ doc }))
        .execute()
      await db
        .deleteFrom('history')
        .where('kind', '=', kind)
        .where('id', '=', id)
        .where('step', '=', step)
        .where('start_at', '<', startMs - historyKept[step] * 1000)
        .execute()
    },
    async read(kind, id, step, fromMs) {
      const query = db.selectFrom('history').select(['start_at', 'doc']).where('kind', '=', kind)
      const rows = await query
        .where('id', '=', id)
        .where('step', '=', step)
        .where('start_at', '>=', fromMs)
        .orderBy('start_at')
        .execute()
      return rows.map(toPoint)
    },
    async readOrganization(organizationId, step: HistoryStep, fromMs) {
      // A literal: with a parameter, SQLite plans the query anew each time to find the partial index.
      const isSum = sql<boolean>`kind = 'organization'`
      const query = db.selectFrom('history').select(['start_at', 'doc']).where(isSum)
      const rows = await query
        .where('organization_id', '=', organizationId)
        .where('step', '=', step)
        .where('start_at', '>=', fromMs)
        .orderBy('start_at')
        .execute()
      return rows.map(toPoint)
    },
  }
}

/** Removes the history with its service or pipe. */
export async function removeHistory({ db }: SqlContext, kind: 'service' | 'pipe', id: string): Promise<void> {
  await db.deleteFrom('history').where('kind', '=', kind).where('id', '=', id).execute()
}

const toPoint = (row: { start_at: number; doc: string }) => ({
  startMs: row.start_at,
  point: JSON.parse(row.doc) as never,
})

import { type Kysely, sql } from 'kysely'
import type { Claim, Settled, WorkQueue } from '../../lib/work-queue.ts'
import type { StoreChange } from '../store.ts'
import { databaseNow, locked, prepare, type SqlContext } from './context.ts'
import type { Database } from './schema.ts'

/** The work queue as rows: one per resource, due at a time, leased to one control plane at a time. */
export function createSqlWork(context: SqlContext): WorkQueue {
  const { db, dialect, clock } = context
  const now = () => databaseNow(context)
  // Two look-ups in an index, however many items there are.
  const earliest = prepare(context, 'work.earliest', ['kind', 'now'], (parameter) => {
    const at = databaseNow(context, parameter.now)
    return sql<{ due: number | null; leased: number | null }>`select
      (select due_at from work where kind = ${parameter.kind} and due_at is not null and lease_owner is null
        order by due_at limit 1) - ${at} as due,
      (select lease_until from work where kind = ${parameter.kind} and lease_until is not null
        order by lease_until limit 1) - ${at} as leased`.compile(db)
  })

  return {
    async claim({ owner, kinds, limit, leaseMs }) {
      if (kinds.length === 0 || limit <= 0) return []
      const free = sql<boolean>`due_at <= ${now()} and (lease_until is null or lease_until <= ${now()})`
      const skip = dialect === 'postgres' ? sql`for update skip locked` : sql``
      // Materialized, or PostgreSQL may run the inner select more than once and lock more than the limit.
      const claimed = await sql<Claim>`
        with due as materialized (
          select kind, id from work where kind in (${sql.join(kinds)}) and ${free} order by due_at limit ${limit} ${skip}
        )
        update work set lease_owner = ${owner}, lease_epoch = lease_epoch + 1, lease_until = ${now()} + ${leaseMs}
        where (kind, id) in (select kind, id from due)
        returning kind, id, lease_owner as owner, lease_epoch as epoch, generation, attempts`.execute(db)
      return claimed.rows.map((row) => ({ ...row }))
    },

    async renew(claims, leaseMs) {
      const kept: Claim[] = []
      for (const claim of claims) {
        const result = await db
          .updateTable('work')
          .set({ lease_until: sql<number>`${now()} + ${leaseMs}` })
          .where(mine(claim))
          .executeTakeFirst()
        if (result.numUpdatedRows > 0n) kept.push(claim)
      }
      return kept
    },

    async settle(claim, next): Promise<Settled> {
      if (next.gone && (await dequeue(db, claim))) return 'settled'
      const later =
        next.dueInMs === null ? sql<number | null>`null` : sql<number | null>`${now()} + ${next.dueInMs}`
      const moved = sql<boolean>`generation <> ${claim.generation}`
      const settled = await sql<{ generation: number }>`
        update work set lease_owner = null, lease_until = null, reason = ${next.reason},
          attempts = case when ${moved} then 0 else ${next.attempts} end,
          due_at = case when ${moved} then ${now()} else ${later} end
        where ${mine(claim)} returning generation`.execute(db)
      const row = settled.rows[0]
      if (!row) return 'lost'
      return row.generation === claim.generation ? 'settled' : 'superseded'
    },

    async nextDueInMs(kinds) {
      let next: number | null = null
      for (const kind of kinds) {
        const [row] = (await earliest({ kind, now: clock.now() })).rows
        // A leased item counts from the end of its lease, not from its due time.
        for (const wait of [row?.due, row?.leased]) {
          if (typeof wait === 'number') next = Math.min(next ?? wait, Math.max(0, wait))
        }
      }
      return next === null ? null : Math.max(0, next)
    },

    async nudge(kind, id) {
      const due = now()
      await sql`
        update work set generation = generation + 1,
          due_at = case when due_at is null or due_at > ${due} then ${due} else due_at end
        where kind = ${kind} and id = ${id}`.execute(db)
    },

    async hasten(kind) {
      const due = now()
      await sql`update work set due_at = ${due} where kind = ${kind} and due_at > ${due}`.execute(db)
    },

    async release(owner) {
      await db
        .updateTable('work')
        .set({ lease_owner: null, lease_until: null })
        .where('lease_owner', '=', owner)
        .execute()
    },
  }
}

/** Makes an item due now and raises its generation; part of every transaction that writes intent. */
export async function enqueue(context: SqlContext, kind: string, id: string): Promise<void> {
  const run = prepare(context, 'work.enqueue', ['kind', 'id', 'now'], (parameter) => {
    const due = databaseNow(context, parameter.now)
    return sql`
      insert into work (kind, id, generation, due_at, lease_epoch, attempts, reason)
      values (${parameter.kind}, ${parameter.id}, 1, ${due}, 0, 0, '')
      on conflict (kind, id) do update
        set generation = work.generation + 1, attempts = 0,
            due_at = case when work.due_at is null or work.due_at > ${due} then ${due} else work.due_at end`.compile(
      context.db,
    )
  })
  await run({ kind, id, now: context.clock.now() })
  await announce(context, { kind: 'intent', id })
}

/** Other control planes on the same PostgreSQL are notified when the transaction commits. */
export async function announce({ db, dialect }: SqlContext, { kind, id }: StoreChange): Promise<void> {
  if (dialect === 'postgres') await sql`select pg_notify(${intentChannel}, ${`${kind} ${id}`})`.execute(db)
}

export const intentChannel = 'granary_intent'

/** null = a control plane of another version sent a message that this one does not understand. */
export function readAnnounced(text = ''): StoreChange | null {
  const [kind, id = ''] = text.split(' ')
  return kind === 'intent' || kind === 'login' || kind === 'key' ? { kind, id } : null
}

/** The item stays when a newer intent came meanwhile, because that still has to be reconciled. */
async function dequeue(db: Kysely<Database>, claim: Claim): Promise<boolean> {
  const gone = await db
    .deleteFrom('work')
    .where(mine(claim))
    .where('generation', '=', claim.generation)
    .executeTakeFirst()
  return gone.numDeletedRows > 0n
}

const mine = ({ kind, id, owner, epoch }: Claim) =>
  sql<boolean>`kind = ${kind} and id = ${id} and lease_owner = ${owner} and lease_epoch = ${epoch}`

/**
 * The fence: true only while this claim holds its lease and no newer intent has come. Goes into the `where` of
 * every write of a loop.
 */
export function holds(claim: Claim) {
  return sql<boolean>`exists (select 1 from work where ${mine(claim)} and generation = ${claim.generation})`
}

/** The fence for several writes: checked in their transaction, it stays true until the transaction ends. */
export async function keeps(context: SqlContext, claim: Claim): Promise<boolean> {
  const query = context.db
    .selectFrom('work')
    .select('id')
    .where(mine(claim))
    .where('generation', '=', claim.generation)
  return (await locked(context, query).executeTakeFirst()) !== undefined
}

import { AppError, notFound } from '../domain/errors.ts'
import { permissionsOf, visibleServices } from '../domain/key/permissions.ts'
import type { KeyRecord } from '../domain/key/types.ts'
import { type SessionRecord, sessionIdleMs, sessionSecretLength } from '../domain/session/types.ts'
import { endOf, type SessionView, viewSession } from '../domain/session/view.ts'
import { newId, randomText } from '../lib/ids.ts'
import { type Caller, type ControlContext, loadOrganization, recordActivity } from './context.ts'
import { viewOrganization } from './organizations.ts'
import { type PageOf, type PageQuery, readPage } from './paging.ts'

/** Begins a session for the key that the caller has proven to hold. The secret is in this result only. */
export async function createSession(
  { store, clock, secretBox }: ControlContext,
  caller: Caller,
): Promise<{ secret: string; session: SessionRecord }> {
  const secret = randomText(sessionSecretLength)
  const nowMs = clock.now()
  const session: SessionRecord = {
    id: newId(),
    organizationId: caller.key.organizationId,
    keyId: caller.key.id,
    ipAddress: caller.ipAddress,
    userAgent: caller.userAgent,
    createdAtMs: nowMs,
    usedAtMs: Math.floor(nowMs / 60_000) * 60_000,
    expireAtMs: nowMs + sessionIdleMs,
  }
  await store.transaction(async (tx) => {
    await loadOrganization(tx, caller, 'share')
    // The key was checked before this transaction and may have been deleted since.
    const key = await tx.keys.get(session.organizationId, session.keyId)
    if (!key) throw new AppError('UNAUTHORIZED', 'the key no longer exists')
    await tx.sessions.insert(session, secretBox.hash(secret))
    const after = audited(session, key)
    await recordActivity(tx, clock, caller, { type: 'session_create', resourceId: session.id, after })
  })
  return { secret, session }
}

export type IdentityView = Awaited<ReturnType<typeof describeCaller>>

/** Who the caller is and what it may do. */
export async function describeCaller({ store }: ControlContext, { key, session, ...caller }: Caller) {
  const organization = await loadOrganization(store, { key, ...caller })
  const expireAtMs = session ? endOf(session, key) : key.expireAtMs
  const visible = visibleServices(key)
  return {
    id: session?.id ?? null,
    expireAt: iso(expireAtMs),
    organization: viewOrganization(organization),
    key: {
      id: key.id,
      name: key.name,
      kind: key.kind,
      roles: key.roles,
      serviceGrants: key.serviceGrants,
      expireAt: iso(key.expireAtMs),
    },
    permissions: permissionsOf(key),
    services:
      visible === 'all'
        ? ('all' as const)
        : [...visible].map((serviceId) => ({ serviceId, permissions: permissionsOf(key, serviceId) })),
  }
}

export async function listSessions(
  { store, clock }: ControlContext,
  caller: Caller,
  query: PageQuery,
): Promise<PageOf<SessionView>> {
  const { organizationId } = caller.key
  const page = await readPage(
    query,
    (part) => store.sessions.list(organizationId, { ...part, nowMs: clock.now() }),
    (session) => session.createdAtMs,
  )
  const keys = new Map((await store.keys.list(organizationId)).map((key) => [key.id, key]))
  const items = page.items.flatMap((session) => {
    const key = keys.get(session.keyId)
    return key ? [viewSession(session, key, caller.session?.id)] : []
  })
  return { ...page, items }
}

/** Ends a session: at once here, and on other control planes within a second. */
export async function deleteSession(
  { store, clock, keysChanged }: ControlContext,
  caller: Caller,
  id: string,
): Promise<SessionView> {
  const view = await store.transaction(async (tx) => {
    await loadOrganization(tx, caller, 'share')
    const session = await tx.sessions.get(caller.key.organizationId, id)
    const key = session && (await tx.keys.get(session.organizationId, session.keyId))
    // Of two requests at once, one removes the session.
    if (!key || !(await tx.sessions.remove(session))) throw notFound('session')
    const before = audited(session, key)
    await recordActivity(tx, clock, caller, { type: 'session_delete', resourceId: id, before })
    return viewSession(session, key, caller.session?.id)
  })
  keysChanged()
  return view
}

/** What the audit trail keeps of a session: what the same request of anybody would show. */
function audited(session: SessionRecord, key: Pick<KeyRecord, 'name' | 'expireAtMs'>) {
  const { isCurrent: _, usedAt: _usedAt, ...view } = viewSession(session, key)
  return view
}

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

import type { KeyRecord } from '../key/types.ts'
import type { SessionRecord } from './types.ts'

export type SessionView = ReturnType<typeof viewSession>

/** A session as the API shows it, without its secret; `currentId` is the session of the request. */
export function viewSession(
  session: SessionRecord,
  key: Pick<KeyRecord, 'name' | 'expireAtMs'>,
  currentId?: string,
) {
  return {
    id: session.id,
    keyId: session.keyId,
    keyName: key.name,
    createdAt: new Date(session.createdAtMs).toISOString(),
    usedAt: new Date(session.usedAtMs).toISOString(),
    ipAddress: session.ipAddress,
    userAgent: session.userAgent,
    expireAt: new Date(endOf(session, key)).toISOString(),
    isCurrent: session.id === currentId,
  }
}

/** A session ends with its key at the latest. */
export const endOf = (
  { expireAtMs }: Pick<SessionRecord, 'expireAtMs'>,
  key: Pick<KeyRecord, 'expireAtMs'>,
): number => Math.min(expireAtMs, key.expireAtMs ?? expireAtMs)

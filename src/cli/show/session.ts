import type { ResultOf } from '../../api/operations.ts'
import type { Form } from '../output.ts'
import { fullTime, relativeTime } from '../units.ts'

type Session = ResultOf<'sessions.delete'>

export function sessionsTable(form: Form, sessions: readonly Session[]): string {
  const headings = ['KEY', 'FROM', 'WITH', 'SIGNED IN', 'USED', 'ENDS', 'ID']
  const rows = sessions.map((session) => [
    session.keyName,
    session.ipAddress,
    session.userAgent.length > 40 ? `${session.userAgent.slice(0, 39)}…` : session.userAgent,
    relativeTime(session.createdAt, form.nowMs),
    relativeTime(session.usedAt, form.nowMs),
    relativeTime(session.expireAt, form.nowMs),
    session.id,
  ])
  return form.table(headings, rows)
}

export function identityBlock(form: Form, identity: ResultOf<'session.get'>): string {
  const { organization, key, permissions, services } = identity
  return form.block([
    ['key', `${key.name} (${key.id})`],
    ['kind', key.kind],
    ['organization', `${organization.name} (${organization.id})`],
    ['roles', key.roles.join(', ') || 'none'],
    ['expires', fullTime(key.expireAt, form.nowMs) || 'never'],
    ['may', permissions.join(', ')],
    [
      'services',
      services === 'all'
        ? 'all'
        : services.map((each) => `${each.serviceId}: ${each.permissions.join(', ')}`),
    ],
  ])
}

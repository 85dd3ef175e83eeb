import type { ResultOf } from '../../api/operations.ts'
import type { Form } from '../output.ts'
import { fullTime, relativeTime } from '../units.ts'
import { ipEntry } from './service.ts'
import { onlyOnce, stateCell } from './state.ts'

type Key = ResultOf<'keys.get'>

export function keysTable(form: Form, keys: readonly Key[]): string {
  const headings = ['NAME', 'KIND', 'STATE', 'ROLES', 'ENDS IN', 'USED', 'EXPIRES', 'ID']
  const rows = keys.map((key) => [
    key.name,
    key.kind,
    stateCell(key.state),
    key.roles.join(', ') || grants(key),
    key.keySuffix,
    relativeTime(key.usedAt, form.nowMs) || 'never',
    relativeTime(key.expireAt, form.nowMs) || 'never',
    key.id,
  ])
  return form.table(headings, rows)
}

export function keyBlock(form: Form, key: Key): string {
  return form.block([
    ['id', key.id],
    ['name', key.name],
    ['kind', key.kind],
    ['state', stateCell(key.state)],
    ['roles', key.roles.join(', ') || 'none'],
    ['grants', key.serviceGrants.map(({ serviceId, role }) => `${role} of ${serviceId}`)],
    ['ends in', key.keySuffix],
    ['access', key.ipAccessList.length > 0 ? key.ipAccessList.map(ipEntry) : 'nowhere: the list is empty'],
    ['created', fullTime(key.createdAt, form.nowMs)],
    ['last used', fullTime(key.usedAt, form.nowMs) || 'never'],
    ['expires', fullTime(key.expireAt, form.nowMs) || 'never'],
  ])
}

export function newKeyBlock(form: Form, { key, keyId, keySecret, token }: ResultOf<'keys.create'>): string {
  const credential = form.block([
    ['key id', keyId],
    ['key secret', keySecret],
    ['token', token],
  ])
  return `${keyBlock(form, key)}\n\n${credential}\n\n${onlyOnce}`
}

function grants({ serviceGrants: { length } }: Key): string {
  if (length === 0) return 'none'
  return `on ${length} ${length === 1 ? 'service' : 'services'}`
}

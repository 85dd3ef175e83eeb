import type { ResultOf } from '../../api/operations.ts'
import type { Form } from '../output.ts'
import { fullTime, relativeTime } from '../units.ts'
import { onlyOnce } from './state.ts'

type User = ResultOf<'serviceUsers.get'>

export function usersTable(form: Form, users: readonly User[]): string {
  if (users.length === 0)
    return 'no users beside default: granary services users create <service> --name <name>'
  const headings = ['NAME', 'ROLE', 'CREATED', 'CHANGED', 'ID']
  const rows = users.map((user) => [
    user.name,
    user.role,
    relativeTime(user.createdAt, form.nowMs),
    relativeTime(user.updatedAt, form.nowMs),
    user.id,
  ])
  return form.table(headings, rows)
}

export function userBlock(form: Form, user: User): string {
  return form.block([
    ['id', user.id],
    ['service', user.serviceId],
    ['name', user.name],
    ['role', user.role],
    ['created', fullTime(user.createdAt, form.nowMs)],
    ['changed', fullTime(user.updatedAt, form.nowMs)],
  ])
}

export function newUserBlock(form: Form, { user, password }: ResultOf<'serviceUsers.create'>): string {
  // A user who sent a hash already has the password.
  if (password === '') return userBlock(form, user)
  return `${userBlock(form, user)}\n\n${form.block([['password', password]])}\n\n${onlyOnce}`
}

import { AppError, invalid, notFound } from '../../domain/errors.ts'
import {
  planUser,
  type ServiceUserRecord,
  type ServiceUserView,
  type UserDraft,
  type UserRole,
  usersPerService,
  viewUser,
} from '../../domain/service/user.ts'
import { newId } from '../../lib/ids.ts'
import type { Repositories } from '../../store/store.ts'
import {
  type Caller,
  type ControlContext,
  loadOrganization,
  loadService,
  recordActivity,
  requireState,
} from '../context.ts'
import { choosePassword } from './password.ts'

/** Names a user of a service. */
export interface UserPath {
  serviceId: string
  userId: string
}

export async function listUsers(
  { store }: ControlContext,
  caller: Caller,
  serviceId: string,
): Promise<ServiceUserView[]> {
  await loadService(store, caller, serviceId)
  return (await store.serviceUsers.list(serviceId)).map(viewUser)
}

export async function getUser(
  { store }: ControlContext,
  caller: Caller,
  path: UserPath,
): Promise<ServiceUserView> {
  await loadService(store, caller, path.serviceId)
  return viewUser(await load(store, path))
}

/**
 * Creates a user with a password generated here and answered once, or with the hash of the caller's password.
 */
export async function createUser(
  { store, clock, secretBox, loginsChanged }: ControlContext,
  caller: Caller,
  serviceId: string,
  { passwordHash, ...draft }: UserDraft & { passwordHash?: string },
): Promise<{ user: ServiceUserView; password: string }> {
  const planned = planUser(draft)
  if ('issues' in planned) throw invalid(planned.issues)
  const { password, hash } = choosePassword(secretBox, passwordHash)
  const user = await store.transaction(async (tx) => {
    await loadForChange(tx, caller, serviceId)
    if (await tx.serviceUsers.findByName(serviceId, planned.user.name)) {
      throw new AppError('CONFLICT', 'the service has a user of this name already')
    }
    if ((await tx.serviceUsers.count(serviceId)) >= usersPerService) {
      throw new AppError('QUOTA_EXCEEDED', `a service has at most ${usersPerService} users`)
    }
    const nowMs = clock.now()
    const record = { id: newId(), serviceId, ...planned.user, createdAtMs: nowMs, updatedAtMs: nowMs }
    await tx.serviceUsers.insert(record, hash)
    const after = viewUser(record)
    await recordActivity(tx, clock, caller, {
      type: 'service_user_create',
      serviceId,
      resourceId: record.id,
      after,
    })
    return after
  })
  loginsChanged(serviceId)
  return { user, password }
}

export async function updateUser(
  { store, clock, loginsChanged }: ControlContext,
  caller: Caller,
  path: UserPath,
  patch: { role?: UserRole },
): Promise<ServiceUserView> {
  let isChanged = false
  const view = await store.transaction(async (tx) => {
    await loadForChange(tx, caller, path.serviceId)
    const current = await load(tx, path)
    const before = viewUser(current)
    if (patch.role === undefined || patch.role === current.role) return before
    const next = { ...current, role: patch.role, updatedAtMs: clock.now() }
    await tx.serviceUsers.update(next)
    const after = viewUser(next)
    await recordActivity(tx, clock, caller, { type: 'service_user_update', ...namesOf(path), before, after })
    isChanged = true
    return after
  })
  if (isChanged) loginsChanged(path.serviceId)
  return view
}

export async function resetUserPassword(
  { store, clock, secretBox, loginsChanged }: ControlContext,
  caller: Caller,
  path: UserPath,
  body: { newPasswordHash?: string },
): Promise<{ password: string }> {
  const { password, hash } = choosePassword(secretBox, body.newPasswordHash)
  await store.transaction(async (tx) => {
    await loadForChange(tx, caller, path.serviceId)
    const user = await load(tx, path)
    await tx.serviceUsers.update({ ...user, updatedAtMs: clock.now() }, hash)
    await recordActivity(tx, clock, caller, {
      type: 'service_user_update_password',
      ...namesOf(path),
      after: { password: 'changed' },
    })
  })
  loginsChanged(path.serviceId)
  return { password }
}

export async function deleteUser(
  { store, clock, loginsChanged }: ControlContext,
  caller: Caller,
  path: UserPath,
): Promise<ServiceUserView> {
  const view = await store.transaction(async (tx) => {
    await loadForChange(tx, caller, path.serviceId)
    const before = viewUser(await load(tx, path))
    await tx.serviceUsers.remove(path.serviceId, path.userId)
    await recordActivity(tx, clock, caller, { type: 'service_user_delete', ...namesOf(path), before })
    return before
  })
  loginsChanged(path.serviceId)
  return view
}

/**
 * Locks the service, so that names stay unique and the count exact. A service being deleted accepts no change.
 */
async function loadForChange(tx: Repositories, caller: Caller, serviceId: string): Promise<void> {
  // The trail refers to the organization, which is therefore locked first; otherwise two changes could
  // deadlock.
  await loadOrganization(tx, caller, 'share')
  requireState(await loadService(tx, caller, serviceId), 'change')
}

async function load(repositories: Repositories, { serviceId, userId }: UserPath): Promise<ServiceUserRecord> {
  const user = await repositories.serviceUsers.find(serviceId, userId)
  if (!user) throw notFound('user')
  return user
}

const namesOf = ({ serviceId, userId }: UserPath) => ({ serviceId, resourceId: userId })

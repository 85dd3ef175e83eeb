import { AppError, invalid, notFound } from '../domain/errors.ts'
import type { Issue } from '../domain/issue.ts'
import type { KeyKind, KeyRecord, KeyRole, KeyState, ServiceGrant } from '../domain/key/types.ts'
import { anywhere, completeEntries, type IpEntryInput } from '../domain/service/ip-access.ts'
import { newId, randomText } from '../lib/ids.ts'
import type { SecretBox } from '../store/secret-box.ts'
import type { Repositories } from '../store/store.ts'
import { type Caller, type ControlContext, loadOrganization, recordActivity } from './context.ts'

export interface KeyPatch {
  name?: string
  state?: KeyState
  roles?: KeyRole[]
  serviceGrants?: ServiceGrant[]
  /** null = the key never expires; absent = unchanged. */
  expireAt?: string | null
  ipAccessList?: IpEntryInput[]
}

export interface KeyDraft extends KeyPatch {
  name: string
  kind?: KeyKind
}

export type KeyView = ReturnType<typeof viewKey>

export interface NewCredential {
  keyId: string
  keySecret: string
  token: string
}

export async function createKey(
  { store, clock, secretBox, quotas }: ControlContext,
  caller: Caller,
  draft: KeyDraft,
): Promise<{ key: KeyView } & NewCredential> {
  return store.transaction(async (tx) => {
    const organization = await loadOrganization(tx, caller, 'update')
    if (organization.keyCount >= quotas.keysPerOrganization) {
      throw new AppError('QUOTA_EXCEEDED', `an organization has at most ${quotas.keysPerOrganization} keys`)
    }
    const kind = draft.kind ?? 'management'
    const credential = newCredential(kind)
    const blank: KeyRecord = {
      id: newId(),
      organizationId: organization.id,
      kind,
      name: draft.name,
      state: 'enabled',
      roles: [],
      serviceGrants: [],
      ipAccessList: [...anywhere],
      keySuffix: (credential.keyId || credential.token).slice(-4),
      createdAtMs: clock.now(),
      expireAtMs: null,
      usedAtMs: null,
    }
    const key = change(blank, draft)
    await checkGrants(tx, key)
    await tx.keys.insert(key, stored(secretBox, credential))
    const view = viewKey(key)
    await recordActivity(tx, clock, caller, { type: 'key_create', resourceId: key.id, after: view })
    return { key: view, ...credential }
  })
}

export async function listKeys({ store }: ControlContext, caller: Caller): Promise<KeyView[]> {
  return (await store.keys.list(caller.key.organizationId)).map(viewKey)
}

export async function getKey({ store }: ControlContext, caller: Caller, id: string): Promise<KeyView> {
  return viewKey(await load(store, caller, id))
}

export async function updateKey(
  { store, clock, keysChanged }: ControlContext,
  caller: Caller,
  id: string,
  patch: KeyPatch,
): Promise<KeyView> {
  let isChanged = false
  const view = await store.transaction(async (tx) => {
    await loadOrganization(tx, caller, 'update')
    const current = await load(tx, caller, id)
    const next = change(current, patch)
    const before = viewKey(current)
    const after = viewKey(next)
    if (JSON.stringify(before) === JSON.stringify(after)) return after
    await checkGrants(tx, next)
    await keepAnAdmin(tx, clock.now(), next, current)
    await tx.keys.update(next)
    await recordActivity(tx, clock, caller, { type: 'key_update', resourceId: id, before, after })
    isChanged = true
    return after
  })
  if (isChanged) keysChanged()
  return view
}

export async function deleteKey(
  { store, clock, keysChanged }: ControlContext,
  caller: Caller,
  id: string,
): Promise<KeyView> {
  const view = await store.transaction(async (tx) => {
    await loadOrganization(tx, caller, 'update')
    const current = await load(tx, caller, id)
    if (current.id === caller.key.id)
      throw new AppError('CONFLICT', 'a key cannot delete itself: use another one')
    await keepAnAdmin(tx, clock.now(), null, current)
    await tx.keys.remove(id, current.organizationId)
    const before = viewKey(current)
    await recordActivity(tx, clock, caller, { type: 'key_delete', resourceId: id, before })
    return before
  })
  keysChanged()
  return view
}

async function load(repositories: Repositories, caller: Caller, id: string): Promise<KeyRecord> {
  const key = await repositories.keys.get(caller.key.organizationId, id)
  if (!key) throw notFound('key')
  return key
}

function change(key: KeyRecord, patch: KeyPatch): KeyRecord {
  return {
    ...key,
    name: patch.name ?? key.name,
    state: patch.state ?? key.state,
    roles: patch.roles ?? key.roles,
    serviceGrants: patch.serviceGrants?.map(lowerCaseGrant) ?? key.serviceGrants,
    ipAccessList: patch.ipAccessList ? completeEntries(patch.ipAccessList) : key.ipAccessList,
    expireAtMs:
      patch.expireAt === undefined
        ? key.expireAtMs
        : patch.expireAt === null
          ? null
          : Date.parse(patch.expireAt),
  }
}

/** Ids are case-insensitive; they are stored in lower case. */
const lowerCaseGrant = ({ serviceId, role }: ServiceGrant): ServiceGrant => ({
  serviceId: serviceId.toLowerCase(),
  role,
})

/** Grants must name services of the same organization, each once. */
async function checkGrants(tx: Repositories, key: KeyRecord): Promise<void> {
  const issues: Issue[] = []
  const seen = new Set<string>()
  for (const [index, { serviceId }] of key.serviceGrants.entries()) {
    const path = ['serviceGrants', index, 'serviceId']
    if (seen.has(serviceId)) issues.push({ path, code: 'duplicate', message: 'is granted twice' })
    else if (!(await tx.services.get(key.organizationId, serviceId))) {
      issues.push({ path, code: 'not_found', message: 'no such service' })
    }
    seen.add(serviceId)
  }
  if (issues.length > 0) throw invalid(issues)
}

/** Refuses a change after which no key could manage the organization any more. */
async function keepAnAdmin(
  tx: Repositories,
  nowMs: number,
  next: KeyRecord | null,
  current: KeyRecord,
): Promise<void> {
  if (!isAdmin(current, nowMs) || (next && isAdmin(next, nowMs))) return
  const others = await tx.keys.list(current.organizationId)
  if (others.some((key) => key.id !== current.id && isAdmin(key, nowMs))) return
  throw new AppError('CONFLICT', 'the organization would be left without an enabled admin key')
}

/** Whether the key can manage the organization now; a key with an empty address list cannot. */
function isAdmin(key: KeyRecord, nowMs: number): boolean {
  const isUsable = key.state === 'enabled' && key.ipAccessList.length > 0
  const lasts = key.expireAtMs === null || key.expireAtMs > nowMs
  return key.kind === 'management' && key.roles.includes('admin') && isUsable && lasts
}

function newCredential(kind: KeyKind): NewCredential {
  if (kind === 'dashboard') return { keyId: '', keySecret: '', token: randomText(40) }
  return { keyId: randomText(20), keySecret: randomText(40), token: '' }
}

function stored(secretBox: SecretBox, { keyId, keySecret, token }: NewCredential) {
  const hash = secretBox.hash(keySecret || token)
  return { lookup: keyId || hash, secretHash: hash }
}

function viewKey(key: KeyRecord) {
  const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())
  return {
    id: key.id,
    name: key.name,
    kind: key.kind,
    state: key.state,
    roles: key.roles,
    serviceGrants: key.serviceGrants,
    keySuffix: key.keySuffix,
    createdAt: new Date(key.createdAtMs).toISOString(),
    expireAt: iso(key.expireAtMs),
    usedAt: iso(key.usedAtMs),
    ipAccessList: key.ipAccessList,
  }
}

/**
 * Who is signed in and what the key may do. A session that ends while pages are open leaves them as they are: the
 * frame shows the sign-in form over them (`hasEnded`), and a new session of the same organization goes on there.
 */
import { computed, signal } from '@preact/signals'
import type { Permission } from '../../../src/domain/key/permissions.ts'
import { ApiError, toApiError } from './api-error.ts'
import { beginSession, call, watchOutcomes } from './call.ts'
import type { Result } from './operations.ts'
import { markAnswered, markAway, onReturn } from './server-away.ts'

export type Session = Result<'session.get'>

/** undefined = not known yet; null = nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined)
/** The session ended while the page was in use. */
export const hasEnded = signal(false)

export const organization = computed(() => session.value?.organization ?? null)
/** A session by a dashboard token reaches dashboards, sources and alerts only. */
export const isDashboardOnly = computed(() => session.value?.key.kind === 'dashboard')

export type Credential = { keyId: string; keySecret: string } | { token: string }

const listeners = new Set<() => void>()

/** Told after each sign-in: what was read for an ended session is read again. */
export function onSignIn(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Reads the session, unless the page is where sessions begin. */
export async function startSession(isAtSignIn: boolean): Promise<void> {
  watchOutcomes((outcome) => {
    if (outcome === 'away') return markAway()
    markAnswered()
    if (outcome === 'unauthorized' && session.value) hasEnded.value = true
  })
  if (isAtSignIn) session.value = null
  else await loadSession()
}

/** While the server is away the session stays unknown; it is read when the server is back. */
onReturn(() => {
  if (session.value === undefined) void loadSession()
})

export async function loadSession(): Promise<void> {
  try {
    enter(await call('session.get'))
  } catch (thrown) {
    const error = toApiError(thrown)
    if (error.status === 401) session.value = null
    else if (!error.isAway) throw error
  }
}

export async function signIn(credential: Credential): Promise<void> {
  const answer = await call('session.create', { body: credential })
  const before = session.value?.organization.id
  enter(answer)
  // What is on the screen belongs to the former organization.
  if (before !== undefined && before !== answer.organization.id) globalThis.location?.assign('/')
  for (const listener of [...listeners]) listener()
}

export async function signOut(): Promise<void> {
  await call('session.delete').catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 401)) throw error
  })
  session.value = null
  hasEnded.value = false
}

/** Whether the key has the permission: in the organization, or on the one service. */
export function may(permission: Permission, serviceId?: string): boolean {
  const current = session.value
  if (!current) return false
  if (current.permissions.includes(permission)) return true
  if (serviceId === undefined || current.services === 'all') return false
  const grant = current.services.find((one) => one.serviceId === serviceId)
  return grant?.permissions.includes(permission) ?? false
}

function enter(answer: Session): void {
  beginSession(answer.organization.id)
  session.value = answer
  hasEnded.value = false
}

import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { planAlert } from '../domain/alert/rules.ts'
import type { AlertHistoryEntry, AlertInput, AlertRecord, AlertStatus } from '../domain/alert/types.ts'
import { type AlertView, viewAlert } from '../domain/alert/view.ts'
import { invalid, notFound } from '../domain/errors.ts'
import { newHexId } from '../lib/ids.ts'
import type { Repositories } from '../store/store.ts'
import { type Caller, type ControlContext, recordActivity } from './context.ts'

export interface AlertPage {
  limit: number
  offset: number
}

export async function listAlerts(
  { store }: ControlContext,
  caller: Caller,
  page: AlertPage,
): Promise<{ alerts: AlertView[]; total: number }> {
  const { organizationId } = caller.key
  const alerts = await store.alerts.list(organizationId, page)
  return { alerts: alerts.map((alert) => viewAlert(alert)), total: await store.alerts.count(organizationId) }
}

export async function getAlert({ store }: ControlContext, caller: Caller, id: string): Promise<AlertView> {
  return viewAlert(await load(store, caller, id))
}

/** A secret that is made here is in this answer and in no other. */
export async function createAlert(
  context: ControlContext,
  caller: Caller,
  body: AlertInput,
  id = newHexId(context.clock.now()),
): Promise<AlertView> {
  const { store, clock, wake } = context
  await plan(store, caller, body)
  await requireAllowed(context, body.channel.url)
  const made = body.channel.secret === undefined ? `whsec_${randomBytes(32).toString('base64')}` : undefined
  const view = await store.transaction(async (tx) => {
    const settings = await plan(tx, caller, body)
    const nowMs = clock.now()
    const alert: AlertRecord = {
      ...{ id, organizationId: caller.key.organizationId, ...settings },
      ...{ status: newStatus(settings.enabled, nowMs), createdAtMs: nowMs, updatedAtMs: nowMs },
    }
    await tx.alerts.insert(alert, body.channel.secret ?? made ?? '')
    const change = { type: 'alert_create' as const, resourceId: alert.id, after: forTrail(alert) }
    await recordActivity(tx, clock, caller, change)
    return viewAlert(alert, made)
  })
  wake('alert')
  return view
}

export async function replaceAlert(
  context: ControlContext,
  caller: Caller,
  id: string,
  body: AlertInput & { id?: string },
): Promise<AlertView> {
  const { store, clock, wake } = context
  const { url } = await load(store, caller, id)
  if (body.id !== undefined && body.id !== id)
    throw invalid([{ path: ['id'], code: 'immutable', message: 'must be the id in the path' }])
  await plan(store, caller, body)
  if (body.channel.url !== url) await requireAllowed(context, body.channel.url)
  const view = await store.transaction(async (tx) => {
    const current = await load(tx, caller, id)
    const settings = await plan(tx, caller, body)
    const { secret } = body.channel
    const { organizationId, createdAtMs, updatedAtMs } = current
    const status = statusAfter(current, settings.enabled, clock.now())
    const next: AlertRecord = { id, organizationId, ...settings, status, createdAtMs, updatedAtMs }
    if (secret === undefined && isDeepStrictEqual(next, current)) return viewAlert(current)
    const saved = { ...next, updatedAtMs: clock.now() }
    await tx.alerts.save(saved, secret)
    const after = { ...forTrail(saved), ...(secret !== undefined && { secret: 'changed' }) }
    const change = { type: 'alert_update' as const, resourceId: id, before: forTrail(current), after }
    await recordActivity(tx, clock, caller, change)
    return viewAlert(saved)
  })
  wake('alert')
  return view
}

export function deleteAlert(
  { store, clock }: ControlContext,
  caller: Caller,
  id: string,
): Promise<Record<string, never>> {
  return store.transaction(async (tx) => {
    const alert = await load(tx, caller, id)
    await tx.alerts.remove(caller.key.organizationId, id)
    const change = { type: 'alert_delete' as const, resourceId: id, before: forTrail(alert) }
    await recordActivity(tx, clock, caller, change)
    return {}
  })
}

export async function alertHistory(
  { store }: ControlContext,
  caller: Caller,
  id: string,
  limit: number,
): Promise<AlertHistoryEntry[]> {
  await load(store, caller, id)
  return store.alerts.history(id, limit)
}

async function plan({ dashboards }: Repositories, caller: Caller, body: AlertInput) {
  const planned = planAlert(body, await dashboards.get(caller.key.organizationId, body.dashboardId))
  if ('issues' in planned) throw invalid(planned.issues)
  return planned.settings
}

async function requireAllowed({ webhookRefusal }: ControlContext, url: string): Promise<void> {
  const message = await webhookRefusal(url)
  if (message !== null) throw invalid([{ path: ['channel', 'url'], code: 'not_allowed', message }])
}

const newStatus = (enabled: boolean, nowMs: number): AlertStatus => ({
  ...{ state: enabled ? 'INSUFFICIENT_DATA' : 'DISABLED', sinceMs: nowMs, lastValue: null, breaches: 0 },
  ...{ lastEvaluatedAtMs: null, lastError: null, nextAtMs: 0, evaluations: 0, pending: [] },
})

/** An alert that is enabled or disabled begins anew; webhooks that are due stay due. */
function statusAfter({ enabled, status }: AlertRecord, isEnabled: boolean, nowMs: number): AlertStatus {
  if (enabled === isEnabled) return status
  const { state, sinceMs, breaches, nextAtMs } = newStatus(isEnabled, nowMs)
  return { ...status, state, sinceMs, breaches, nextAtMs }
}

/** Without what the loop writes. The address of a webhook is often a secret of its own: only its host is kept. */
function forTrail(alert: AlertRecord): Record<string, unknown> {
  const { id: _, organizationId: _o, status: _s, createdAtMs: _c, updatedAtMs: _u, url, ...settings } = alert
  return { ...settings, host: new URL(url).host }
}

async function load({ alerts }: Repositories, caller: Caller, id: string): Promise<AlertRecord> {
  const alert = await alerts.get(caller.key.organizationId, id)
  if (!alert) throw notFound('alert')
  return alert
}

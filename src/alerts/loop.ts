import { judge } from '../domain/alert/evaluate.ts'
import {
  type AlertError,
  type AlertHistoryEntry,
  type AlertRecord,
  type AlertStatus,
  intervalMs,
  type PendingWebhook,
} from '../domain/alert/types.ts'
import { eventOf, webhookBody } from '../domain/alert/webhook.ts'
import type { DashboardRecord } from '../domain/dashboard/types.ts'
import { AppError } from '../domain/errors.ts'
import type { Clock } from '../lib/clock.ts'
import { newHexId } from '../lib/ids.ts'
import type { Log } from '../lib/running.ts'
import type { Loop, RunContext, RunResult } from '../reconcile/loop.ts'
import type { Store } from '../store/store.ts'
import type { Measure } from './measure.ts'
import type { Webhooks } from './send-webhook.ts'

export interface AlertLoopOptions {
  store: Store
  clock: Clock
  log: Log
  /** Null = no engine runs here: nothing is evaluated. */
  measure: Measure | null
  webhooks: Pick<Webhooks, 'send'>
  timeScale: number
}

/** After each failed attempt; a webhook is given up after the last one. */
const retriesMs = [1_000, 2_000, 4_000, 8_000]

/**
 * Evaluates alerts and delivers their webhooks. A change of state and the webhook that is due for it are written
 * together before the webhook is sent, so a restart neither loses nor invents one; an attempt whose result was not
 * written is made again under the same `webhook-id`.
 */
export function createAlertLoop({ store, clock, log, measure, webhooks, timeScale }: AlertLoopOptions): Loop {
  return {
    kind: 'alert',
    async reconcile(id, context) {
      const alert = await store.alerts.find(id)
      if (!alert) return { reason: 'the alert no longer exists', gone: true }
      const [due] = alert.status.pending
      if (due && due.atMs <= clock.now()) {
        await attempt(alert, due, context.signal)
        return { reason: 'a webhook was sent', againAfterMs: 0 }
      }
      if (alert.enabled && measure && alert.status.nextAtMs <= clock.now())
        return evaluate(alert, measure, context)
      return wait(alert)
    },
  }

  /** Until the next evaluation or the next attempt of a webhook. */
  function wait({ enabled, status }: Pick<AlertRecord, 'enabled' | 'status'>): RunResult {
    const times = [
      ...status.pending.map(({ atMs }) => atMs),
      ...(enabled && measure ? [status.nextAtMs] : []),
    ]
    if (times.length === 0) return { reason: 'the alert is disabled' }
    return {
      reason: 'the next turn is waited for',
      againAfterMs: Math.max(0, Math.min(...times) - clock.now()),
    }
  }

  async function evaluate(
    alert: AlertRecord,
    ask: Measure,
    { claim, signal }: RunContext,
  ): Promise<RunResult> {
    const dashboard = await store.dashboards.get(alert.organizationId, alert.dashboardId)
    const tile = dashboard?.tiles.find(({ id }) => id === alert.tileId)
    if (!dashboard || !tile) return { reason: 'the tile no longer exists', gone: true }
    const nowMs = clock.now()
    const span = { startMs: nowMs - intervalMs[alert.interval], endMs: nowMs }
    const measured = await ask({ alert, dashboard, tile, span, signal }).catch((error: unknown) => {
      signal.throwIfAborted()
      return errorOf(error)
    })
    const stepMs = intervalMs[alert.interval] / timeScale
    const onTime = alert.status.nextAtMs + stepMs
    const nextAtMs = onTime > clock.now() ? onTime : clock.now() + stepMs
    const { status, entry } =
      measured === null
        ? { status: { ...alert.status, nextAtMs }, entry: null }
        : decide({ ...alert, status: { ...alert.status, nextAtMs } }, dashboard, measured, span)
    const isSaved = await store.transaction((tx) => tx.alerts.saveEvaluation(alert.id, status, entry, claim))
    if (!isSaved) return { reason: 'the alert changed meanwhile', againAfterMs: 0 }
    return wait({ enabled: alert.enabled, status })
  }

  function decide(
    alert: AlertRecord,
    dashboard: DashboardRecord,
    measured: Awaited<ReturnType<Measure>> | AlertError,
    { startMs: startTime, endMs: endTime }: { startMs: number; endMs: number },
  ): { status: AlertStatus; entry: AlertHistoryEntry } {
    const { status } = alert
    const evaluations = status.evaluations + 1
    const range = { startTime, endTime }
    if (measured === null || 'code' in measured) {
      const error = measured
      const entry = {
        at: endTime,
        state: status.state,
        value: null,
        ...range,
        groups: [],
        error,
        delivery: null,
      }
      return { status: { ...status, evaluations, lastEvaluatedAtMs: endTime, lastError: error }, entry }
    }
    const judged = judge(alert, status, measured)
    const { state, value, breaches, groups } = judged
    const event = eventOf(status.state, state)
    const body = event && webhookBody(event, alert, dashboard, judged, { ...range, sentAt: endTime })
    const webhook: PendingWebhook[] =
      event && body
        ? [
            {
              id: `msg_${newHexId(endTime)}`,
              event,
              body,
              evaluation: evaluations,
              attempts: 0,
              atMs: endTime,
            },
          ]
        : []
    const delivery = event && { event, attempts: 0, status: null, error: null }
    return {
      status: {
        ...{ state, breaches, evaluations, nextAtMs: status.nextAtMs, lastValue: value },
        sinceMs: state === status.state ? status.sinceMs : endTime,
        lastEvaluatedAtMs: endTime,
        lastError: status.lastError?.code === 'WEBHOOK_ERROR' ? status.lastError : null,
        pending: [...status.pending, ...webhook],
      },
      entry: { at: endTime, state, value, ...range, groups, error: null, delivery },
    }
  }

  async function attempt(alert: AlertRecord, webhook: PendingWebhook, signal: AbortSignal): Promise<void> {
    const { id, url } = alert
    const secret = await store.alerts.secret(id)
    const { status, error } = await webhooks.send({ url, id: webhook.id, body: webhook.body, secret }, signal)
    // A server that stops tries again after its next start.
    signal.throwIfAborted()
    const attempts = webhook.attempts + 1
    const retryMs = retriesMs[webhook.attempts]
    const isOver = error === null || retryMs === undefined
    if (error !== null)
      log.warn(
        { alertId: id, host: new URL(url).host, attempts, why: error, isOver },
        'a webhook was not taken',
      )
    const next = (current: AlertStatus): AlertStatus => {
      const others = current.pending.filter((each) => each.id !== webhook.id)
      if (error !== null && retryMs !== undefined) {
        const atMs = clock.now() + retryMs / timeScale
        return { ...current, pending: [{ ...webhook, attempts, atMs }, ...others] }
      }
      const failed: AlertError | null = error === null ? null : { code: 'WEBHOOK_ERROR', message: error }
      const keeps = current.lastError !== null && current.lastError.code !== 'WEBHOOK_ERROR'
      return { ...current, pending: others, lastError: failed ?? (keeps ? current.lastError : null) }
    }
    const delivery = { event: webhook.event, attempts, status, error }
    await store.transaction((tx) => tx.alerts.saveDelivery(id, next, webhook.evaluation, delivery))
  }
}

/** What a tile's failure means for its alert. */
function errorOf(error: unknown): AlertError {
  if (!(error instanceof AppError)) throw error
  const isTimeout = error.status === 422 && error.message.includes('GRANARY_TILE_TIMEOUT_SECONDS')
  return { code: isTimeout ? 'QUERY_TIMEOUT' : 'QUERY_ERROR', message: error.message.slice(0, 300) }
}

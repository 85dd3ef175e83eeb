import type { DashboardRecord } from '../dashboard/types.ts'
import type { Judged } from './evaluate.ts'
import type { AlertRecord, AlertState, WebhookEvent } from './types.ts'

/** An alert that begins or ends is told; null = nothing to tell. */
export function eventOf(before: AlertState, after: AlertState): WebhookEvent | null {
  if ((before === 'ALERT') === (after === 'ALERT')) return null
  return after === 'ALERT' ? 'alert.fired' : 'alert.resolved'
}

/** The body of a webhook, as it is signed and sent in every attempt. */
export function webhookBody(
  event: WebhookEvent,
  alert: AlertRecord,
  dashboard: DashboardRecord,
  { value, groups }: Judged,
  range: { startTime: number; endTime: number; sentAt: number },
): string {
  const { id, name, message, threshold, thresholdType, tileId } = alert
  const tile = dashboard.tiles.find((each) => each.id === tileId)
  return JSON.stringify({
    ...{ event, alert: { id, name, message } },
    dashboard: { id: dashboard.id, name: dashboard.name },
    tile: { id: tileId, name: tile?.name ?? '' },
    ...{ value, threshold, thresholdType, groups, ...range },
  })
}

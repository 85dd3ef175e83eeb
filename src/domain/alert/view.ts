import type { AlertRecord } from './types.ts'

export function viewAlert(alert: AlertRecord, secret?: string) {
  const { id, name, message, enabled, dashboardId, tileId, interval, threshold, thresholdType } = alert
  const { thresholdMax, numConsecutiveWindows, url, status } = alert
  return {
    ...{ id, name, message, enabled, dashboardId, tileId, interval, threshold, thresholdType },
    ...(thresholdMax !== undefined && { thresholdMax }),
    numConsecutiveWindows,
    channel: { type: 'webhook' as const, url, ...(secret !== undefined && { secret }) },
    state: status.state,
    stateSince: new Date(status.sinceMs).toISOString(),
    lastValue: status.lastValue,
    lastEvaluatedAt:
      status.lastEvaluatedAtMs === null ? null : new Date(status.lastEvaluatedAtMs).toISOString(),
    lastError: status.lastError,
  }
}

export type AlertView = ReturnType<typeof viewAlert>

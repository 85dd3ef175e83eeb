import type { ResultOf } from '../../api/operations.ts'
import type { Form } from '../output.ts'
import { fullTime, relativeTime } from '../units.ts'
import { onlyOnce } from './state.ts'

type Alert = ResultOf<'alerts.get'>

export function alertsTable(form: Form, alerts: readonly Alert[]): string {
  if (alerts.length === 0) return 'no alerts yet: granary alerts create --file <path>'
  const rows = alerts.map((alert) => [
    ...[alert.name, alert.state, relativeTime(alert.stateSince, form.nowMs), conditionOf(alert)],
    ...[alert.interval, alert.lastValue === null ? '' : String(alert.lastValue), alert.id],
  ])
  return form.table(['NAME', 'STATE', 'SINCE', 'WHEN', 'EVERY', 'VALUE', 'ID'], rows)
}

export function alertBlock(form: Form, alert: Alert): string {
  const { secret } = alert.channel
  const block = form.block([
    ['id', alert.id],
    ['name', alert.name],
    ['state', alert.state],
    ['since', fullTime(alert.stateSince, form.nowMs)],
    ['dashboard', alert.dashboardId],
    ['tile', alert.tileId],
    ['when', `${conditionOf(alert)}, ${alert.numConsecutiveWindows} in a row`],
    ['every', alert.interval],
    ['webhook', alert.channel.url],
    ['last value', alert.lastValue === null ? 'none' : String(alert.lastValue)],
    ['last error', alert.lastError ? `${alert.lastError.code}: ${alert.lastError.message}` : 'none'],
    ...(secret === undefined ? [] : [['secret', secret] as const]),
  ])
  return secret === undefined ? block : `${block}\n\n${onlyOnce}`
}

export function historyTable(form: Form, entries: ResultOf<'alerts.history'>): string {
  if (entries.length === 0) return 'the alert was not evaluated yet'
  const rows = entries.map(({ at, state, value, error, delivery }) => [
    ...[relativeTime(new Date(at).toISOString(), form.nowMs), state, value === null ? '' : String(value)],
    delivery ? `${delivery.event}${delivery.error === null ? '' : `: ${delivery.error}`}` : '',
    error?.message ?? '',
  ])
  return form.table(['AT', 'STATE', 'VALUE', 'WEBHOOK', 'ERROR'], rows)
}

const conditionOf = ({ thresholdType, threshold, thresholdMax }: Alert): string =>
  `${thresholdType} ${threshold}${thresholdMax === undefined ? '' : ` and ${thresholdMax}`}`

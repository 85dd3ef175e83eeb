/** What of an organization needs a person, each with its cause and the one best action. Worst first. */
import type { Result } from '../api/operations.ts'

export interface Need {
  id: string
  section: 'services' | 'pipes' | 'backups' | 'alerts' | 'keys'
  hue: 'warn' | 'bad'
  /** `lab is degraded.` */
  title: string
  /** The server's own reason. */
  text: string
  /** Null = this key can do nothing about it. */
  action: { name: string; href: string } | null
}

export interface Fleet {
  services: Result<'services.list'>
  pipes: Result<'organizations.pipes'>
  backups: Result<'organizations.backups'>
  alerts: Result<'alerts.list'>
  /** When the key of the session ends; null = never. */
  keyEndsAt: string | null
  /** Whether the key of the session reaches the page of keys. */
  seesKeys: boolean
}

const day = 86_400_000
const serviceTitles: Partial<Record<Fleet['services'][number]['state'], string>> = {
  failed: 'has failed',
  degraded: 'is degraded',
  partially_running: 'runs partly',
}

export function needsOf(fleet: Fleet, now: number): Need[] {
  const { services, pipes, backups, alerts, keyEndsAt, seesKeys } = fleet
  const needs: Need[] = []
  for (const { id, name, state, stateReason } of services) {
    const what = serviceTitles[state]
    if (!what) continue
    const hue = state === 'failed' ? 'bad' : 'warn'
    const action = { name: 'Open', href: `/services/${id}` }
    needs.push({ id, section: 'services', hue, title: `${name} ${what}.`, text: stateReason, action })
  }
  for (const { id, serviceId, name, state, reason } of pipes) {
    if (state !== 'Failed' && state !== 'Degraded') continue
    const hue = state === 'Failed' ? 'bad' : 'warn'
    const what = state === 'Failed' ? 'has failed' : 'is degraded'
    const action = { name: 'Open', href: `/services/${serviceId}/pipes/${id}` }
    needs.push({ id, section: 'pipes', hue, title: `Pipe ${name} ${what}.`, text: reason, action })
  }
  for (const { id, name, state, lastValue, threshold } of alerts) {
    if (state !== 'ALERT') continue
    const text = lastValue === null ? '' : `The value is ${lastValue}; the threshold is ${threshold}.`
    const action = { name: 'Open', href: `/alerts?q=${encodeURIComponent(name)}` }
    needs.push({ id, section: 'alerts', hue: 'bad', title: `Alert ${name} fires.`, text, action })
  }
  for (const one of backups) {
    const problem = backupProblem(one, now)
    if (!problem) continue
    const action = { name: 'Backups', href: `/services/${one.serviceId}/backups` }
    needs.push({ id: `backup-${one.serviceId}`, section: 'backups', hue: 'warn', ...problem, action })
  }
  if (keyEndsAt !== null && Date.parse(keyEndsAt) - now < 7 * day) {
    const days = Math.max(0, Math.floor((Date.parse(keyEndsAt) - now) / day))
    const title =
      days === 0 ? 'Your key ends today.' : `Your key ends in ${days === 1 ? '1 day' : `${days} days`}.`
    const text = `Sessions end with their key.${seesKeys ? '' : ' Ask an administrator for another one.'}`
    const action = seesKeys ? { name: 'Keys', href: '/keys' } : null
    needs.push({ id: 'key', section: 'keys', hue: 'warn', title, text, action })
  }
  return needs.sort((one, other) => Number(other.hue === 'bad') - Number(one.hue === 'bad'))
}

function backupProblem(
  { serviceName, newest, newestGood, nextDueAt }: Fleet['backups'][number],
  now: number,
) {
  if (newest?.verification.status === 'damaged') {
    return { title: `The newest backup of ${serviceName} is damaged.`, text: newest.verification.reason }
  }
  if (newest?.status === 'error') {
    return { title: `The last backup of ${serviceName} failed.`, text: newest.reason }
  }
  const due = Date.parse(nextDueAt)
  const isOverdue = Number.isFinite(due) && now - due > day
  if (!isOverdue) return null
  const text = newestGood ? 'Older ones can be restored.' : 'None that was read back is there.'
  return { title: `${serviceName} has no new backup.`, text }
}

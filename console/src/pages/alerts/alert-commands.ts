import { call } from '../../api/call.ts'
import { refresh } from '../../api/resource.ts'
import { confirm } from '../../kit/confirm.tsx'
import { run } from '../../kit/toast.tsx'
import type { Alert } from './alert-form.tsx'

/** What a read answers can be sent back; the secret stays. */
export async function setEnabled(alert: Alert, enabled: boolean): Promise<void> {
  await call('alerts.replace', { params: { alertId: alert.id }, body: { ...alert, enabled } })
  refresh('alerts.list', 'alerts.get')
}

export async function removeAlert(alertId: string, name: string): Promise<boolean> {
  const isMeant = await confirm({
    title: `Delete the alert ${name}?`,
    text: 'Its history goes with it. The tile stays.',
    verb: `Delete ${name}`,
    isDangerous: true,
  })
  if (!isMeant) return false
  return run(
    call('alerts.delete', { params: { alertId } }).then(() => refresh('alerts.list')),
    `${name} was not deleted.`,
  )
}

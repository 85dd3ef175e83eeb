import { useSignal } from '@preact/signals'
import { refresh, useResource } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { liveOf } from '../../frame/live.ts'
import { Page } from '../../frame/page.tsx'
import { ReadsOnly } from '../../frame/reads-only.tsx'
import { Badge } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { CopyLine } from '../../kit/copy.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Facts } from '../../kit/facts.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Menu } from '../../kit/menu.tsx'
import { Panel } from '../../kit/panel.tsx'
import { alertLooks } from '../../kit/states.ts'
import { TimeAgo } from '../../kit/time-ago.tsx'
import { run } from '../../kit/toast.tsx'
import { navigate } from '../../lib/address.ts'
import { conditionWords, intervalWords } from '../../lib/alert-words.ts'
import { formatCount } from '../../lib/numbers.ts'
import { useQuery } from '../../lib/url-state.ts'
import { removeAlert, setEnabled } from './alert-commands.ts'
import { type Alert, AlertForm } from './alert-form.tsx'
import { AlertHistory } from './alert-history.tsx'
import './alerts.css'

const crumbs = [{ name: 'Alerts', href: '/alerts' }]

/** One alert: what it is now, its course against the threshold, its evaluations, and its settings. */
export function AlertPage({ params }: { params: { alertId: string } }) {
  return params.alertId === 'new' ? <NewAlert /> : <OneAlert key={params.alertId} alertId={params.alertId} />
}

function NewAlert() {
  const [dashboardId, tileId] = [useQuery('dashboard').value, useQuery('tile').value]
  const made = useSignal<Alert | null>(null)
  if (!may('dashboards:manage')) {
    return (
      <Page title="New alert" crumbs={crumbs}>
        <ReadsOnly lacks="dashboards:manage" cannot="make alerts" />
      </Page>
    )
  }
  const open = (alert: Alert) => void navigate(`/alerts/${alert.id}`)
  return (
    <Page
      title="New alert"
      crumbs={crumbs}
      lead="It watches the first number of a tile, and tells a webhook when it is beyond a threshold."
    >
      <Panel title="What it watches, and whom it tells" isPadded class="alert-new">
        <AlertForm
          {...{ alert: null, dashboardId, tileId }}
          onSaved={(alert) => {
            if (alert.channel.secret === undefined) open(alert)
            else made.value = alert
          }}
        />
      </Panel>
      {made.value && <SecretDialog alert={made.value} onClose={() => made.value && open(made.value)} />}
    </Page>
  )
}

/** The secret that the server made is answered once. */
function SecretDialog({ alert, onClose }: { alert: Alert; onClose: () => void }) {
  return (
    <Dialog
      title={`The signing secret of ${alert.name}`}
      text="Webhooks are signed with it, after the Standard Webhooks specification. Keep it now: it is not shown again."
    >
      <CopyLine text={alert.channel.secret ?? ''} label="Copy the secret" />
      <div class="actions actions-end">
        <Button tone="primary" onPress={onClose}>
          I have kept it
        </Button>
      </div>
    </Dialog>
  )
}

function OneAlert({ alertId }: { alertId: string }) {
  const resource = useResource('alerts.get', { params: { alertId } })
  const alert = resource.data.value
  const canManage = may('dashboards:manage')
  return (
    <Page
      title={alert?.name ?? 'Alert'}
      crumbs={crumbs}
      live={liveOf(resource)}
      badge={alert && <Badge look={alertLooks[alert.state]} value={alert.state} />}
      lead={alert && leadOf(alert)}
      facts={alert && <HeadFacts alert={alert} />}
      actions={alert && <Actions alert={alert} canManage={canManage} />}
    >
      <ReadsOnly lacks="dashboards:manage" cannot="change alerts" />
      <Loaded resource={resource} rows={6}>
        {(loaded) => (
          <div class={canManage ? 'split' : undefined}>
            <AlertHistory alert={loaded} />
            {canManage && (
              <Panel title="Settings" isPadded>
                <AlertForm alert={loaded} onSaved={() => refresh('alerts.history')} />
              </Panel>
            )}
          </div>
        )}
      </Loaded>
    </Page>
  )
}

function leadOf(alert: Alert): string {
  if (alert.lastError) return alert.lastError.message
  const condition = conditionWords(alert, formatCount)
  if (!alert.enabled) return `It is off. It would fire when the value is ${condition}.`
  return alert.lastValue === null
    ? `There is no value yet. It fires when it is ${condition}.`
    : `The value is ${formatCount(alert.lastValue)}. It fires when it is ${condition}.`
}

function HeadFacts({ alert }: { alert: Alert }) {
  const { dashboardId, tileId, interval, stateSince, lastEvaluatedAt } = alert
  const dashboard = useResource('dashboards.list').data.value?.find(({ id }) => id === dashboardId)
  const tile = dashboard?.tiles.find(({ id }) => id === tileId)
  return (
    <Facts
      isInline
      facts={[
        [
          'Tile',
          dashboard && (
            <a href={`/dashboards/${dashboardId}?tile=${tileId}`}>
              {tile?.name || 'Untitled'} of {dashboard.name}
            </a>
          ),
        ],
        ['Every', intervalWords(interval)],
        ['So since', <TimeAgo at={stateSince} />],
        ['Last asked', lastEvaluatedAt && <TimeAgo at={lastEvaluatedAt} />],
      ]}
    />
  )
}

function Actions({ alert, canManage }: { alert: Alert; canManage: boolean }) {
  const { id: alertId, name, enabled } = alert
  if (!canManage) return null
  const toggle = () => run(setEnabled(alert, !enabled), `${name} is as it was.`)
  return (
    <>
      <Button onPress={toggle}>{enabled ? 'Turn off' : 'Turn on'}</Button>
      <Menu
        label={`More of ${name}`}
        mark="page-menu"
        entries={[
          {
            ...{ name: 'Delete', icon: 'trash' as const, isDangerous: true },
            onPress: async () => {
              if (await removeAlert(alertId, name)) void navigate('/alerts')
            },
          },
        ]}
      />
    </>
  )
}

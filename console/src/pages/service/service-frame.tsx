import type { ComponentChildren } from 'preact'
import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { refresh, useResource } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { liveOf } from '../../frame/live.ts'
import { Page } from '../../frame/page.tsx'
import { ReadsOnly } from '../../frame/reads-only.tsx'
import { Badge } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { confirm } from '../../kit/confirm.tsx'
import { Facts } from '../../kit/facts.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Menu } from '../../kit/menu.tsx'
import { isServiceBusy, serviceLooks } from '../../kit/states.ts'
import { Tabs } from '../../kit/tabs.tsx'
import { TimeAt } from '../../kit/time-ago.tsx'
import { run, toast } from '../../kit/toast.tsx'
import { navigate } from '../../lib/address.ts'
import { formatBytes, formatCount } from '../../lib/numbers.ts'
import { raised } from '../../lib/words.ts'
import './service-page.css'

export type Service = Result<'services.get'>

/** The head of a service and its tabs; what is inside depends on the tab. */
export function ServiceFrame(props: {
  serviceId: string
  tab: string
  children: (service: Service) => ComponentChildren
}) {
  const { serviceId, tab, children } = props
  const resource = useResource(
    'services.get',
    { params: { serviceId } },
    { pace: (service) => (service && isServiceBusy(service.state) ? 'fast' : 'slow') },
  )
  const service = resource.data.value
  const look = service && serviceLooks[service.state]
  return (
    <Page
      title={service?.name ?? 'Service'}
      documentTitle={
        service ? `${service.name}${tab === 'Overview' ? '' : `, ${tab.toLowerCase()}`}` : 'Service'
      }
      live={liveOf(resource)}
      badge={service && look && <Badge look={look} value={service.state} />}
      lead={service && raised(service.stateReason)}
      facts={service && <HeadFacts service={service} />}
      actions={service && <Actions service={service} />}
    >
      <ServiceTabs serviceId={serviceId} />
      <ReadsOnly lacks="services:manage" serviceId={serviceId} cannot="change the service" />
      <Loaded resource={resource} rows={6}>
        {children}
      </Loaded>
    </Page>
  )
}

function ServiceTabs({ serviceId }: { serviceId: string }) {
  const pipes = useResource('organizations.pipes').data.value
  const root = `/services/${serviceId}`
  const tabs = [
    { name: 'Overview', href: root },
    { name: 'Tables', href: `${root}/tables` },
    {
      name: 'Pipes',
      href: `${root}/pipes`,
      count: pipes?.filter((pipe) => pipe.serviceId === serviceId).length,
    },
    { name: 'Backups', href: `${root}/backups` },
    { name: 'Access', href: `${root}/access` },
    ...(may('activities:view') ? [{ name: 'Activity', href: `${root}/activity` }] : []),
  ]
  return <Tabs label="Service" tabs={tabs} />
}

function HeadFacts({ service }: { service: Service }) {
  const { dbVersion, tier, isPrimary, resources, createdAt } = service
  return (
    <Facts
      isInline
      facts={[
        ['Engine', dbVersion],
        ['Tier', `${raised(tier)}${isPrimary ? ', first of its warehouse' : ''}`],
        [
          'Stored',
          resources.replicas.length > 0
            ? `${formatBytes(resources.storedBytes)} in ${formatCount(resources.parts)} parts`
            : '',
        ],
        ['Made', <TimeAt at={createdAt} />],
      ]}
    />
  )
}

function Actions({ service }: { service: Service }) {
  const { id: serviceId, name, state, commandReasons: reasons } = service
  const canManage = may('services:manage', serviceId)
  const send = (command: 'start' | 'stop', failure: string) =>
    run(
      call('services.updateState', { params: { serviceId }, body: { command } }).then(() =>
        refresh('services.get', 'services.list'),
      ),
      failure,
    )
  const stop = async () => {
    const running = service.resources.replicas.reduce((sum, { runningQueries }) => sum + runningQueries, 0)
    const isMeant = await confirm({
      title: `Stop ${name}?`,
      text: `${running === 0 ? 'No query runs now.' : `${running} running queries end.`} Its pipes wait, and queries are refused until it is started.`,
      verb: `Stop ${name}`,
    })
    if (isMeant) await send('stop', `${name} was not stopped.`)
  }
  const backUp = async () => {
    const isBegun = await run(
      call('backups.create', { params: { serviceId } }).then(() =>
        refresh('backups.list', 'organizations.backups'),
      ),
      'No backup was begun.',
    )
    if (isBegun) toast('ok', `A backup of ${name} has begun.`)
  }
  const remove = async () => {
    const isMeant = await confirm({
      title: `Delete ${name}?`,
      text: 'Its tables, pipes and backups are deleted with it. This cannot be undone.',
      verb: `Delete ${name}`,
      isDangerous: true,
      typedName: name,
    })
    if (!isMeant) return
    const isGone = await run(call('services.delete', { params: { serviceId } }), `${name} was not deleted.`)
    if (isGone) void navigate('/')
  }
  const isStopped = service.commands.includes('start') && state !== 'failed'
  return (
    <>
      <Button href={`/sql/${serviceId}`} icon="sql" tone={isStopped ? 'plain' : 'primary'}>
        Open SQL
      </Button>
      {canManage &&
        (isStopped ? (
          <Button tone="primary" onPress={() => send('start', `${name} was not started.`)}>
            Start
          </Button>
        ) : (
          <Button onPress={stop} reason={reasons.stop ?? null}>
            Stop
          </Button>
        ))}
      <Menu
        label={`More of ${name}`}
        mark="page-menu"
        size="small"
        entries={[
          canManage &&
            state === 'failed' && { name: 'Start', onPress: () => send('start', `${name} was not started.`) },
          may('backups:manage', serviceId) && {
            name: 'Back up now',
            icon: 'backup',
            reason: reasons.backUp ?? null,
            onPress: backUp,
          },
          canManage && 'line',
          canManage && {
            name: 'Delete',
            icon: 'trash',
            isDangerous: true,
            reason: reasons.delete ?? null,
            onPress: remove,
          },
        ]}
      />
    </>
  )
}

import { useRef } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import { may, organization } from '../../api/session.ts'
import { liveOf } from '../../frame/live.ts'
import { needs } from '../../frame/needs.tsx'
import { Page } from '../../frame/page.tsx'
import { ReadsOnly } from '../../frame/reads-only.tsx'
import { recentFirst } from '../../frame/recent.ts'
import { useShortcuts } from '../../frame/shortcuts.ts'
import { Button } from '../../kit/button.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Notice } from '../../kit/notice.tsx'
import { isServiceBusy } from '../../kit/states.ts'
import { navigate } from '../../lib/address.ts'
import { fleetWords } from '../../lib/fleet-words.ts'
import { useDemo } from '../first-run/demo-card.tsx'
import { FirstRun } from '../first-run/first-run.tsx'
import { ActivityPanel } from './activity-panel.tsx'
import './overview-page.css'
import { OverviewLedger } from './overview-ledger.tsx'
import { PipesPanel } from './pipes-panel.tsx'
import { ServicesPanel } from './services-panel.tsx'

/** Whether all is well, in one sentence; then what needs a person, the figures, the services. */
export function OverviewPage() {
  const services = useResource(
    'services.list',
    {},
    { pace: (all) => (all?.some(({ state }) => isServiceBusy(state)) ? 'fast' : 'slow') },
  )
  const all = services.data.value
  const mayCreate = may('services:create')
  useShortcuts('Overview', [{ keys: 'c', name: 'New service', run: () => void navigate('/services/new') }])
  const isFirst = useFirstRun(all)
  if (isFirst) return <FirstRun />
  const first = all && recentFirst(all)[0]
  const count = needs.value.length
  return (
    <Page
      title={organization.value?.name ?? 'Overview'}
      documentTitle="Overview"
      crumb="Overview"
      live={liveOf(services)}
      lead={
        all && (
          <>
            {fleetWords(all)}
            {count > 0 && (
              <>
                {', '}
                <b class="ink" data-hue="warn">
                  {count === 1 ? '1 needs you' : `${count} need you`}
                </b>
              </>
            )}
            .
          </>
        )
      }
      actions={
        <>
          {first && (
            <Button icon="sql" href={`/sql/${first.id}`}>
              Open SQL
            </Button>
          )}
          {mayCreate && (
            <Button tone="primary" icon="plus" href="/services/new">
              New service
            </Button>
          )}
        </>
      }
    >
      <ReadsOnly lacks="services:create" cannot="make services" />
      {count > 0 && <Needs />}
      {may('services:view') && <OverviewLedger />}
      <Loaded resource={services} rows={6}>
        {(list) => <ServicesPanel services={list} />}
      </Loaded>
      <div class="cols overview-cols">
        <PipesPanel />
        {may('activities:view') && <ActivityPanel />}
      </div>
    </Page>
  )
}

/**
 * Whether the page is still the first run: no service yet, or the demo's alone while it is being made. Whoever has seen
 * the demo being made sees its end there too.
 */
function useFirstRun(services: readonly { id: string }[] | undefined): boolean {
  const hasWatched = useRef(false)
  const demo = useDemo(services !== undefined && services.length < 2).data.value
  const isAlone = services?.length === 1 && services[0]?.id === demo?.serviceId
  const isMade = demo?.state === 'starting' || demo?.state === 'failed'
  if (isAlone && isMade) hasWatched.current = true
  return services?.length === 0 || (isAlone && hasWatched.current)
}

function Needs() {
  return (
    <section class="stack stack-tight" aria-label="Needs you">
      {needs.value.map(({ id, hue, title, text, action }) => (
        <Notice
          key={id}
          hue={hue}
          title={title}
          actions={
            action && (
              <Button size="small" href={action.href}>
                {action.name}
              </Button>
            )
          }
        >
          {text}
        </Notice>
      ))}
    </section>
  )
}

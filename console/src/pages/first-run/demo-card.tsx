import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { refresh, useResource } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { Button } from '../../kit/button.tsx'
import { Icon, type IconName } from '../../kit/icon.tsx'
import { Progress } from '../../kit/meter.tsx'
import { Notice } from '../../kit/notice.tsx'
import { Panel } from '../../kit/panel.tsx'
import type { Hue } from '../../kit/states.ts'
import { run } from '../../kit/toast.tsx'
import { formatCount } from '../../lib/numbers.ts'

export type Demo = Result<'demo.get'>
type Step = Demo['steps'][number]

/** The demo of the organization; read often only while it is being made or removed. */
export const useDemo = (when = true) =>
  useResource('demo.get', {}, { when, pace: (demo) => (isMoving(demo) ? 'fast' : 'slow') })

const isMoving = (demo: Demo | undefined): boolean => demo?.state === 'starting' || demo?.state === 'removing'

/** What the demo makes; then its steps with progress and links. It goes on when the page is left. */
export function DemoCard() {
  const demo = useDemo().data.value
  if (!demo || demo.state === 'absent') return <Offer />
  if (demo.state === 'running') return <Ready demo={demo} />
  return <Making demo={demo} />
}

const made: readonly { icon: IconName; name: string; text: string }[] = [
  { icon: 'service', name: 'A service', text: 'named demo, asleep when you do not use it' },
  {
    icon: 'pipe',
    name: 'A pipe',
    text: 'that loads millions of web requests, the way your own data would come',
  },
  { icon: 'dashboard', name: 'A dashboard', text: 'that draws them, and an alert that watches them' },
]

function Offer() {
  const isAllowed = may('services:create')
  return (
    <Panel
      title="The demo makes"
      note="about 2 minutes"
      foot={
        isAllowed ? (
          <>
            <Button tone="primary" size="large" icon="play" onPress={start}>
              Start the demo
            </Button>
            <Button size="large" icon="plus" href="/services/new">
              New service
            </Button>
          </>
        ) : (
          <span class="actions">
            <Icon name="lock" /> You may look, not change: this key creates no services.
          </span>
        )
      }
    >
      <ul class="first-run-makes">
        {made.map(({ icon, name, text }) => (
          <li key={name}>
            <Icon name={icon} />
            <span>
              <b>{name}</b> {text}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

const stepNames: Record<string, string> = {
  service: 'Make the service',
  data: 'Make the data',
  pipe: 'Load it through a pipe',
  dashboard: 'Draw the dashboard',
  alert: 'Watch it by an alert',
}

function Making({ demo }: { demo: Demo }) {
  const isRemoving = demo.state === 'removing'
  const hasFailed = demo.state === 'failed'
  return (
    <Panel
      title={
        isRemoving ? 'The demo is being removed' : hasFailed ? 'The demo stopped' : 'The demo is being made'
      }
      note={hasFailed ? undefined : 'it goes on when you leave this page'}
      foot={
        hasFailed && (
          <>
            <Button tone="primary" onPress={start}>
              Try again
            </Button>
            <Button onPress={remove}>Remove the demo</Button>
          </>
        )
      }
    >
      <ol class="first-run-makes" aria-label="Steps of the demo">
        {demo.steps.map((step) => (
          <StepLine key={step.name} step={step} href={hrefOf(step, demo)} />
        ))}
      </ol>
      {demo.error !== null && (
        <div class="panel-body">
          <Notice hue={hasFailed ? 'bad' : 'warn'} title={failureTitle(demo)}>
            {demo.error}
          </Notice>
        </div>
      )}
    </Panel>
  )
}

function Ready({ demo }: { demo: Demo }) {
  return (
    <Panel
      title="The demo is ready"
      foot={
        <>
          <Button tone="primary" size="large" icon="dashboard" href={`/dashboards/${demo.dashboardId}`}>
            Open the dashboard
          </Button>
          <Button size="large" icon="sql" href={`/sql/${demo.serviceId}`}>
            Open SQL
          </Button>
        </>
      }
    >
      <ol class="first-run-makes" aria-label="Steps of the demo">
        {demo.steps.map((step) => (
          <StepLine key={step.name} step={step} href={hrefOf(step, demo)} />
        ))}
      </ol>
    </Panel>
  )
}

const stepLooks: Record<string, { hue: Hue; icon: IconName; word: string }> = {
  pending: { hue: 'rest', icon: 'new', word: 'not begun' },
  running: { hue: 'busy', icon: 'busy', word: 'under way' },
  done: { hue: 'ok', icon: 'done', word: 'done' },
  failed: { hue: 'bad', icon: 'failed', word: 'failed' },
}

function StepLine({ step, href }: { step: Step; href: string | null }) {
  const { name, state, done, total, unit } = step
  const look = stepLooks[state] ?? { hue: 'rest' as const, icon: 'new' as const, word: state }
  const title = stepNames[name] ?? name
  const isCounted = state === 'running' && total > 0
  return (
    <li data-hue={look.hue}>
      <Icon name={look.icon} turns={state === 'running'} />
      <span>
        {href && state === 'done' ? <a href={href}>{title}</a> : <b>{title}</b>}
        <span class="sr">, {look.word}</span>
      </span>
      {isCounted && (
        <>
          <Progress label={title} done={done} total={total} />
          <small>
            {formatCount(done)} of {formatCount(total)} {unit}
          </small>
        </>
      )}
    </li>
  )
}

function hrefOf({ name }: Step, { serviceId, dashboardId, pipeId }: Demo): string | null {
  if (name === 'service' && serviceId) return `/services/${serviceId}`
  if (name === 'pipe' && serviceId && pipeId) return `/services/${serviceId}/pipes/${pipeId}`
  if (name === 'dashboard' && dashboardId) return `/dashboards/${dashboardId}`
  return name === 'alert' ? '/alerts' : null
}

function failureTitle({ step, state }: Demo): string {
  if (state === 'removing') return 'The removal does not get on.'
  const name = step === null ? 'The demo' : `“${stepNames[step] ?? step}”`
  return `${name} does not get on.`
}

async function start(): Promise<void> {
  await run(call('demo.start'), 'The demo was not started.')
  refresh('demo.get', 'services.list')
}

async function remove(): Promise<void> {
  await run(call('demo.remove'), 'The demo was not removed.')
  refresh('demo.get', 'services.list')
}

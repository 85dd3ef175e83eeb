import type { Result } from '../../api/operations.ts'
import { useResource } from '../../api/resource.ts'
import { StateIcon } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { Empty } from '../../kit/empty.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Panel } from '../../kit/panel.tsx'
import { Sparkline } from '../../kit/sparkline.tsx'
import { pipeLooks } from '../../kit/states.ts'
import { behindText } from '../../lib/behind.ts'
import { perSecond } from '../../lib/courses.ts'
import { formatRate } from '../../lib/numbers.ts'
import { sourceKindOf, sourceKinds } from '../../lib/source-kinds.ts'

type Pipe = Result<'organizations.pipes'>[number]

const most = 5

export function PipesPanel() {
  const pipes = useResource(
    'organizations.pipes',
    {},
    { pace: (all) => (all?.some(({ state }) => state === 'Running') ? 'fast' : 'slow') },
  )
  const all = pipes.data.value
  return (
    <Panel
      title="Pipes"
      note={all?.length}
      tools={
        <Button tone="quiet" size="small" href="/pipes">
          All pipes
        </Button>
      }
    >
      <Loaded resource={pipes}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon="pipe" title="No pipe brings data in yet.">
              From Kafka, object storage, Kinesis or Postgres; each record exactly once.
            </Empty>
          ) : (
            <ul class="overview-list">
              {byNeed(list)
                .slice(0, most)
                .map((pipe) => (
                  <PipeLine key={pipe.id} pipe={pipe} />
                ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  )
}

function PipeLine({ pipe }: { pipe: Pipe }) {
  const { id, serviceId, serviceName, name, state, reason, stats } = pipe
  const history = useResource('pipes.history', {
    params: { serviceId, pipeId: id },
    query: { range: '24h' },
  }).data.value
  const look = pipeLooks[state]
  return (
    <li>
      <StateIcon look={look} value={state} says />
      <div class="grow">
        <a class="overview-name" href={`/services/${serviceId}/pipes/${id}`} data-mark="row-link">
          {name}
        </a>{' '}
        <span class="muted">
          {sourceKinds[sourceKindOf(pipe.source)].name} → {serviceName}
        </span>
        {state !== 'Running' && reason !== '' && <p class="overview-why">{reason}</p>}
      </div>
      {history && <Sparkline values={perSecond(history.recordsWritten, history.stepSeconds)} />}
      <span class="overview-rate">
        <b>{formatRate(state === 'Running' ? (stats?.rowsPerSecond ?? 0) : 0)}</b>
        <small>{(state === 'Running' && behindText(stats)) || look.word}</small>
      </span>
    </li>
  )
}

/** Those to look at first, then by name. */
function byNeed(pipes: readonly Pipe[]): Pipe[] {
  const rank = ({ state }: Pipe) =>
    ['bad', 'warn', 'busy', 'ok', 'sleep', 'rest'].indexOf(pipeLooks[state].hue)
  return [...pipes].sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name))
}

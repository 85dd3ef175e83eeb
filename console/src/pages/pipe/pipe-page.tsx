import type { Result } from '../../api/operations.ts'
import { useResource } from '../../api/resource.ts'
import { liveOf } from '../../frame/live.ts'
import { Page } from '../../frame/page.tsx'
import { ReadsOnly } from '../../frame/reads-only.tsx'
import { Badge } from '../../kit/badge.tsx'
import { Code } from '../../kit/code.tsx'
import { Facts } from '../../kit/facts.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Notice } from '../../kit/notice.tsx'
import { Panel } from '../../kit/panel.tsx'
import { isPipeBusy, pipeLooks } from '../../kit/states.ts'
import { TimeAgo, TimeAt } from '../../kit/time-ago.tsx'
import { sourceKindOf } from '../../lib/source-kinds.ts'
import { raised } from '../../lib/words.ts'
import { FlowPicture } from './flow-picture.tsx'
import { laneTitle } from './flow-words.ts'
import { LanesPanel } from './lanes-panel.tsx'
import { PipeActions } from './pipe-actions.tsx'
import { PipeCharts } from './pipe-charts.tsx'
import { RejectedPanel } from './rejected-panel.tsx'
import { sourceFacts } from './source-facts.ts'

type Pipe = Result<'pipes.get'>

/** One pipe: what it does now, what it did, and where it reads and writes. */
export function PipePage({ params }: { params: { serviceId: string; pipeId: string } }) {
  const resource = useResource(
    'pipes.get',
    { params },
    { pace: (pipe) => (pipe && (pipe.state === 'Running' || isPipeBusy(pipe.state)) ? 'fast' : 'slow') },
  )
  const service = useResource('services.get', { params: { serviceId: params.serviceId } }).data.value
  const pipe = resource.data.value
  return (
    <Page
      title={pipe?.name ?? 'Pipe'}
      live={liveOf(resource)}
      crumbs={service ? [{ name: service.name, href: `/services/${service.id}` }] : []}
      badge={pipe && <Badge look={pipeLooks[pipe.state]} value={pipe.state} />}
      lead={pipe && raised(pipe.reason)}
      actions={pipe && <PipeActions pipe={pipe} />}
    >
      <ReadsOnly lacks="pipes:manage" serviceId={params.serviceId} cannot="change pipes" />
      <Loaded resource={resource} rows={6}>
        {(one) => (
          <div class="stack">
            <FlowPicture pipe={one} service={service} />
            <Notices pipe={one} />
            <PipeCharts params={params} />
            <div class="split">
              <div class="stack">
                {service && sourceKindOf(one.source) !== 'postgres' && (
                  <RejectedPanel params={params} service={service} />
                )}
                <LanesPanel
                  params={params}
                  title={laneTitle(one.source)}
                  isFast={one.state === 'Running' || isPipeBusy(one.state)}
                />
              </div>
              <div class="stack">
                <Panel title="Source" id="source" class="pipe-source" isPadded>
                  <Facts
                    facts={[
                      ['Delivery', one.stats?.delivery.replaceAll('_', ' ')],
                      ['Made', <TimeAt at={one.createdAt} />],
                      ['Changed', <TimeAgo at={one.updatedAt} />],
                      ...sourceFacts(one.stats?.facts ?? {}),
                    ]}
                  />
                  <Code text={sourceText(one.source)} label="Copy the source" />
                </Panel>
                {one.fieldMappings.length > 0 && <Columns pipe={one} />}
              </div>
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  )
}

/** Fields that say nothing are left out. */
const sourceText = (source: Pipe['source']): string =>
  JSON.stringify(source, (_, value) => (value === '' ? undefined : value), 2)

/** What is in the way, and where the page has no figures of now. */
function Notices({ pipe: { stats, state } }: { pipe: Pipe }) {
  if (!stats) {
    return state === 'Running' ? null : (
      <Notice hue="rest">It does not run in this server: there are no figures of now.</Notice>
    )
  }
  return (
    <>
      {stats.waiting !== '' && <Notice hue="busy">{raised(stats.waiting)}</Notice>}
      {stats.lastError && (
        <Notice hue="warn" title="Last error.">
          {stats.lastError.message} (<TimeAgo at={stats.lastError.at} />)
        </Notice>
      )}
    </>
  )
}

/** Which field fills which column. */
function Columns({ pipe: { destination, fieldMappings } }: { pipe: Pipe }) {
  const typeOf = (column: string) => destination.columns.find(({ name }) => name === column)?.type
  return (
    <Panel title="Columns" note={fieldMappings.length} isPadded>
      <dl class="facts pipe-mapping">
        {fieldMappings.map(({ sourceField, destinationField }) => (
          <div key={destinationField}>
            <dt class="mono">{sourceField}</dt>
            <dd class="mono">
              {destinationField} <small>{typeOf(destinationField)}</small>
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}

import type { Result } from '../../api/operations.ts'
import { useResource } from '../../api/resource.ts'
import { TimeChart } from '../../charts/time-chart.tsx'
import { liveOf } from '../../frame/live.ts'
import { Page } from '../../frame/page.tsx'
import { ReadsOnly } from '../../frame/reads-only.tsx'
import { Badge } from '../../kit/badge.tsx'
import { Code } from '../../kit/code.tsx'
import { Facts } from '../../kit/facts.tsx'
import { HistoryRangeChoice, rangeOf } from '../../kit/history-range.tsx'
import { Ledger } from '../../kit/ledger.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Notice } from '../../kit/notice.tsx'
import { Panel } from '../../kit/panel.tsx'
import { isPipeBusy, pipeLooks } from '../../kit/states.ts'
import { TimeAgo, TimeAt } from '../../kit/time-ago.tsx'
import { perSecond } from '../../lib/courses.ts'
import { formatBytes, formatCount, formatRate } from '../../lib/numbers.ts'
import { sourceKindOf, sourceKinds } from '../../lib/source-kinds.ts'
import { useQuery } from '../../lib/url-state.ts'
import { raised } from '../../lib/words.ts'
import { behindOf } from './behind.ts'
import { LanesPanel } from './lanes-panel.tsx'
import { PipeActions } from './pipe-actions.tsx'
import { RejectedPanel } from './rejected-panel.tsx'
import { sourceFacts } from './source-facts.ts'

type Pipe = Result<'pipes.get'>

const laneTitles = {
  ...{ kafka: 'Partitions', kinesis: 'Shards', objectStorage: 'Shares of the objects', postgres: 'Tables' },
} as const

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
            <Figures pipe={one} />
            <Throughput params={params} />
            {service && sourceKindOf(one.source) !== 'postgres' && (
              <RejectedPanel params={params} service={service} />
            )}
            <LanesPanel
              params={params}
              title={laneTitles[sourceKindOf(one.source)]}
              isFast={one.state === 'Running' || isPipeBusy(one.state)}
            />
            <Panel title="Source and table" isPadded>
              <Facts
                facts={[
                  ['From', sourceKinds[sourceKindOf(one.source)].name],
                  ['Into', [one.destination.database, one.destination.table].filter(Boolean).join('.')],
                  ['Delivery', one.stats?.delivery.replaceAll('_', ' ')],
                  ['Made', <TimeAt at={one.createdAt} />],
                  ['Changed', <TimeAgo at={one.updatedAt} />],
                  ...sourceFacts(one.stats?.facts ?? {}),
                ]}
              />
              <Code text={JSON.stringify(one.source, null, 2)} label="Copy the source" />
            </Panel>
          </div>
        )}
      </Loaded>
    </Page>
  )
}

function Figures({ pipe: { stats, state } }: { pipe: Pipe }) {
  if (!stats) {
    return state === 'Running' ? null : (
      <Notice hue="rest">It does not run in this server: there are no figures of now.</Notice>
    )
  }
  return (
    <>
      <Ledger
        items={[
          { name: 'Rate', value: formatRate(stats.rowsPerSecond) },
          { name: 'Behind', value: behindOf(stats) },
          { name: 'Rows written', value: formatCount(stats.rows), unit: `of ${formatBytes(stats.bytes)}` },
          { name: 'Rejected', value: formatCount(stats.rejected) },
        ]}
      />
      {stats.waiting !== '' && <Notice hue="busy">{raised(stats.waiting)}</Notice>}
      {stats.lastError && (
        <Notice hue="warn" title="Last error.">
          {stats.lastError.message} (<TimeAgo at={stats.lastError.at} />)
        </Notice>
      )}
    </>
  )
}

function Throughput({ params }: { params: { serviceId: string; pipeId: string } }) {
  const range = useQuery('range', '24h')
  const history = useResource('pipes.history', { params, query: { range: rangeOf(range) } })
  return (
    <Panel title="Throughput" isPadded tools={<HistoryRangeChoice query={range} />}>
      <Loaded resource={history}>
        {(data) => (
          <div class="pipe-chart">
            <TimeChart
              title="Records per second"
              range={{ from: Date.parse(data.from), to: Date.parse(data.to) }}
              times={data.times.map((at) => Date.parse(at))}
              series={[
                { name: 'written', colour: 1, values: perSecond(data.recordsWritten, data.stepSeconds) },
                { name: 'rejected', colour: 5, values: perSecond(data.rejected, data.stepSeconds) },
              ]}
              format={formatRate}
            />
          </div>
        )}
      </Loaded>
    </Panel>
  )
}

import { useResource } from '../../api/resource.ts'
import { TimeChart } from '../../charts/time-chart.tsx'
import { HistoryRangeChoice, rangeOf } from '../../kit/history-range.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Panel } from '../../kit/panel.tsx'
import { formatGb, gbOfBytes } from '../../lib/numbers.ts'
import { replicaName } from '../../lib/replica-name.ts'
import { useQuery } from '../../lib/url-state.ts'

const toGb = (values: readonly (number | null)[]) =>
  values.map((value) => (value === null ? null : gbOfBytes(value)))

/** The memory of each replica over time, beneath the limit that automatic scaling gave. */
export function MemoryPanel({ service }: { service: { id: string; name: string } }) {
  const range = useQuery('range', '24h')
  const history = useResource('services.history', {
    params: { serviceId: service.id },
    query: { range: rangeOf(range) },
  })
  return (
    <Panel title="Memory per replica" isPadded tools={<HistoryRangeChoice query={range} />}>
      <Loaded resource={history} rows={5}>
        {(data) => (
          <div class="service-chart">
            <TimeChart
              title="Memory per replica"
              range={{ from: Date.parse(data.from), to: Date.parse(data.to) }}
              times={data.times.map((at) => Date.parse(at))}
              series={data.replicas.map(({ name, memoryBytes }, index) => ({
                name: replicaName(service, name),
                colour: index + 1,
                values: toGb(memoryBytes),
              }))}
              limits={[{ name: 'limit', value: toGb(data.memoryLimitBytes) }]}
              bands={data.asleep.map(({ from, to }) => ({
                name: 'asleep',
                from: Date.parse(from),
                to: Date.parse(to),
              }))}
              format={(value) => `${formatGb(value)} GB`}
            />
          </div>
        )}
      </Loaded>
    </Panel>
  )
}

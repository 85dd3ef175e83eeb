import type { Result } from '../../api/operations.ts'
import { useResource } from '../../api/resource.ts'
import { TimeChart } from '../../charts/time-chart.tsx'
import { Empty } from '../../kit/empty.tsx'
import { HistoryRangeChoice, rangeOf } from '../../kit/history-range.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Panel } from '../../kit/panel.tsx'
import { perSecond } from '../../lib/courses.ts'
import { formatDuration } from '../../lib/durations.ts'
import { formatCount, formatRate } from '../../lib/numbers.ts'
import { useQuery } from '../../lib/url-state.ts'

type History = Result<'pipes.history'>

/** What the pipe did over time: how much, and how far behind it was. Both charts have the range of the address. */
export function PipeCharts({ params }: { params: { serviceId: string; pipeId: string } }) {
  const range = useQuery('range', '24h')
  const history = useResource('pipes.history', { params, query: { range: rangeOf(range) } })
  return (
    <div class="cols">
      <Panel title="Throughput" isPadded tools={<HistoryRangeChoice query={range} />}>
        <Loaded resource={history}>
          {(data) => (
            <div class="pipe-chart">
              <TimeChart
                title="Records per second"
                {...axisOf(data)}
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
      <Panel title="Behind the source" isPadded>
        <Loaded resource={history}>{(data) => <Behind data={data} />}</Loaded>
      </Panel>
    </div>
  )
}

/** In time where the source tells it, else in records. */
function Behind({ data }: { data: History }) {
  const isKnown = (values: readonly (number | null)[]) => values.some((value) => value !== null)
  const isTimed = isKnown(data.behindSeconds)
  if (!isTimed && !isKnown(data.behindRecords))
    return (
      <div class="pipe-chart pipe-chart-none">
        <Empty icon="clock" title="The source does not tell how far behind the pipe is." />
      </div>
    )
  return (
    <div class="pipe-chart">
      <TimeChart
        title={isTimed ? 'Time behind the source' : 'Records behind the source'}
        {...axisOf(data)}
        series={[{ name: 'behind', colour: 1, values: isTimed ? data.behindSeconds : data.behindRecords }]}
        format={isTimed ? (value) => formatDuration(value * 1000) : (value) => formatCount(value)}
      />
    </div>
  )
}

const axisOf = ({ from, to, times }: History) => ({
  range: { from: Date.parse(from), to: Date.parse(to) },
  times: times.map((at) => Date.parse(at)),
})

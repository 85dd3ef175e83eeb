import type { Result } from '../../api/operations.ts'
import { useResource } from '../../api/resource.ts'
import { TimeChart } from '../../charts/time-chart.tsx'
import { StateIcon } from '../../kit/badge.tsx'
import { type Column, DataTable } from '../../kit/data-table.tsx'
import { Empty } from '../../kit/empty.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Panel } from '../../kit/panel.tsx'
import { alertLooks } from '../../kit/states.ts'
import { TimeAt } from '../../kit/time-ago.tsx'
import { hasUpperBound } from '../../lib/alert-words.ts'
import { formatCount } from '../../lib/numbers.ts'
import type { Alert } from './alert-form.tsx'

type Entry = Result<'alerts.history'>[number]

/** The values that decided, against the threshold, and each evaluation with what it found and told. */
export function AlertHistory({ alert }: { alert: Alert }) {
  const history = useResource('alerts.history', { params: { alertId: alert.id }, query: { limit: 200 } })
  return (
    <div class="stack">
      <Panel title="Value" isPadded>
        <Loaded resource={history} rows={5}>
          {(entries) =>
            entries.length < 2 ? (
              <p class="muted">Its course is drawn from the second evaluation on.</p>
            ) : (
              <Course alert={alert} entries={entries} />
            )
          }
        </Loaded>
      </Panel>
      <Panel title="Evaluations" note="newest first; the last 1,000 are kept">
        <Loaded resource={history}>
          {(entries) =>
            entries.length === 0 ? (
              <Empty icon="clock" title="It was not evaluated yet.">
                A service that sleeps or is stopped is not woken for it.
              </Empty>
            ) : (
              <DataTable
                label="Evaluations"
                rows={entries}
                rowKey={({ at }) => String(at)}
                columns={columns}
              />
            )
          }
        </Loaded>
      </Panel>
    </div>
  )
}

function Course({ alert, entries }: { alert: Alert; entries: readonly Entry[] }) {
  const { threshold, thresholdMax, thresholdType } = alert
  const oldestFirst = [...entries].reverse()
  const times = oldestFirst.map(({ at }) => at)
  const upper = hasUpperBound(thresholdType) && thresholdMax !== undefined
  return (
    <div class="alert-chart">
      <TimeChart
        title={`Value of ${alert.name}`}
        range={{ from: times[0] ?? 0, to: times.at(-1) ?? 0 }}
        times={times}
        series={[{ name: 'value', colour: 1, values: oldestFirst.map(({ value }) => value) }]}
        limits={[
          { name: upper ? 'lower bound' : 'threshold', value: threshold },
          ...(upper ? [{ name: 'upper bound', value: thresholdMax }] : []),
        ]}
        format={formatCount}
      />
    </div>
  )
}

const columns: readonly Column<Entry>[] = [
  { id: 'at', label: 'At', card: 'head', cell: ({ at }) => <TimeAt at={at} /> },
  {
    ...{ id: 'state', label: 'State', card: 'wide' as const },
    cell: ({ state, error }) => (
      <span class="alert-state" data-hue={alertLooks[state].hue}>
        <StateIcon look={alertLooks[state]} value={state} />
        <span>
          {alertLooks[state].word}
          {error && <span class="muted">, {error.message}</span>}
        </span>
      </span>
    ),
  },
  {
    ...{ id: 'value', label: 'Value', isNumber: true },
    cell: ({ value }) => (value === null ? '–' : formatCount(value)),
  },
  {
    ...{ id: 'groups', label: 'Beyond' },
    cell: ({ groups }) =>
      groups.map(({ group }) => group.map((one) => one ?? 'none').join(' ')).join(', ') || '–',
  },
  { id: 'told', label: 'Webhook', cell: ({ delivery }) => <Delivery delivery={delivery} /> },
]

/** `fired, 200`; what failed says why. */
function Delivery({ delivery }: { delivery: Entry['delivery'] }) {
  if (!delivery) return <span class="muted">none was due</span>
  const { event, attempts, status, error } = delivery
  const word = event === 'alert.fired' ? 'fired' : 'resolved'
  return (
    <span data-hue={error ? 'bad' : 'ok'}>
      <b class="ink">{error ? 'Not told' : 'Told'}</b>: {word}
      {status !== null && `, answered ${status}`}
      {attempts > 1 && `, ${attempts} attempts`}
      {error && <span class="muted">, {error}</span>}
    </span>
  )
}

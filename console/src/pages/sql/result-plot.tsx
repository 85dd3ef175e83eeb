import { useMemo } from 'preact/hooks'
import { createGroupColours } from '../../charts/group-colours.ts'
import { TimeChart } from '../../charts/time-chart.tsx'
import { Empty } from '../../kit/empty.tsx'
import { Select } from '../../kit/select-field.tsx'
import { formatCount } from '../../lib/numbers.ts'
import { choosePlot, type PlotChoice, plotData, plotOptions } from '../../lib/result-plot.ts'
import { setQuery, useQuery } from '../../lib/url-state.ts'
import type { StatementRun } from './statement-run.ts'

/** The rows of a result as lines over time; which columns they are drawn by is a sentence, and in the address. */
export function ResultPlot({ run }: { run: StatementRun }) {
  const wish: PlotChoice = { x: useQuery('x').value, y: useQuery('y').value, by: useQuery('by').value }
  const columns = run.columns.value
  const count = run.rowCount.value
  const options = useMemo(() => plotOptions(columns), [columns])
  const choice = choosePlot(options, wish)
  const key = JSON.stringify(choice)
  const data = useMemo(() => choice && plotData(columns, run.rows(), choice), [columns, count, key])
  const colours = useMemo(() => createGroupColours(), [columns])
  const hidden = useQuery('hide')
  if (columns.length === 0) return null
  if (!choice || !data || data.times.length === 0) {
    return (
      <Empty icon="line" title="There is nothing to draw.">
        A plot needs a column of times and one of numbers.
      </Empty>
    )
  }
  const places = colours.of(data.lines.map(({ name }) => name))
  const range = { from: data.times[0] ?? 0, to: data.times.at(-1) ?? 0 }
  return (
    <section class="sql-plot" aria-label="Plot">
      <p class="sql-plot-words">
        Draw <Column label="Values" name="y" value={choice.y} names={options.numbers} /> by{' '}
        <Column label="Times" name="x" value={choice.x} names={options.times} />
        {options.groups.length > 0 && (
          <>
            , one line per <Column label="Lines" name="by" value={choice.by} names={options.groups} hasNone />
          </>
        )}
        {data.hiddenLines > 0 && <span class="muted">{data.hiddenLines} more are not drawn</span>}
      </p>
      <div class="sql-plot-chart">
        <TimeChart
          title={choice.y}
          range={range.from === range.to ? { from: range.from - 1, to: range.to + 1 } : range}
          times={data.times}
          series={data.lines.map(({ name, values }, at) => ({ name, values, colour: places[at] ?? 1 }))}
          format={formatCount}
          timeZone="UTC"
          hidden={hidden.value === '' ? [] : hidden.value.split('\n')}
          onHide={(names) => hidden.set(names.join('\n'))}
        />
      </div>
    </section>
  )
}

function Column(props: {
  label: string
  name: 'x' | 'y' | 'by'
  value: string
  names: readonly string[]
  hasNone?: boolean
}) {
  const { label, name, value, names, hasNone } = props
  const options = names.map((one) => ({ value: one, name: one }))
  return (
    <Select
      label={label}
      isSmall
      value={value}
      options={hasNone ? [...options, { value: '', name: 'nothing' }] : options}
      onChange={(next) => setQuery({ [name]: next === '' ? '-' : next, hide: null })}
    />
  )
}

import { useMemo } from 'preact/hooks'
import { TimeChart } from '../../../charts/time-chart.tsx'
import { writerOf } from '../../../lib/value-format.ts'
import type { ContentProps } from './content-props.ts'
import { stepOf } from './granularity.ts'
import { timeDataOf } from './time-data.ts'

export function TimeContent(props: ContentProps) {
  const { tile, answer, range, timeZone, colours, hidden, onHide, onZoom, onZoomOut } = props
  const { times, series } = useMemo(() => timeDataOf(answer, colours), [answer, colours])
  const first = tile.series[0]
  const isStacked = first?.displayType === 'stacked_bar'
  const format = useMemo(() => writerOf(first?.numberFormat), [first?.numberFormat])
  const stepMs = stepOf(answer.meta.granularity)
  return (
    <TimeChart
      title={tile.name || 'Tile'}
      {...{ range, times, series, format, hidden, onHide, isStacked }}
      kind={isStacked ? 'bars' : 'line'}
      {...(stepMs === undefined ? {} : { stepMs })}
      {...(timeZone === undefined ? {} : { timeZone })}
      {...(onZoom ? { onZoom } : {})}
      {...(onZoomOut ? { onZoomOut } : {})}
    />
  )
}

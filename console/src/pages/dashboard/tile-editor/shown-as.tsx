import { Icon, type IconName } from '../../../kit/icon.tsx'
import { NumberField } from '../../../kit/number-field.tsx'
import { Segment } from '../../../kit/segment.tsx'
import { SelectField } from '../../../kit/select-field.tsx'
import { TextField } from '../../../kit/text-field.tsx'
import { seriesOfType } from '../../../lib/series-of-type.ts'
import type { NumberFormat, Series, SeriesType, Tile } from '../dashboard-types.ts'

const types: readonly { type: SeriesType; name: string; icon: IconName }[] = [
  { type: 'time', name: 'Time', icon: 'line' },
  { type: 'number', name: 'Number', icon: 'hash' },
  { type: 'table', name: 'Table', icon: 'table' },
  { type: 'histogram', name: 'Histogram', icon: 'histogram' },
  { type: 'search', name: 'Rows', icon: 'rows' },
  { type: 'markdown', name: 'Text', icon: 'text' },
]

const units: readonly { value: string; name: string; format?: NumberFormat }[] = [
  { value: 'none', name: 'none' },
  { value: 'ms', name: 'milliseconds', format: { output: 'time', factor: 0.001 } },
  { value: 's', name: 'seconds', format: { output: 'time' } },
  { value: 'percent', name: 'percent of 1', format: { output: 'percent' } },
  { value: 'bytes', name: 'bytes', format: { output: 'byte', decimalBytes: true } },
  { value: 'rate', name: 'per second', format: { output: 'throughput' } },
  { value: 'currency', name: 'dollars', format: { output: 'currency', currencySymbol: '$', mantissa: 2 } },
]

/** How the tile is shown, all of it visible. */
export function ShownAs({ draft, onChange }: { draft: Tile; onChange: (next: Tile) => void }) {
  const first = draft.series[0]
  const type = first?.type ?? 'time'
  const all = (change: (series: Series) => Series) => onChange({ ...draft, series: draft.series.map(change) })
  const setType = (next: SeriesType) => {
    const series = draft.series.map((one) => seriesOfType(one, next))
    const isSingle = next === 'markdown' || next === 'search'
    onChange({
      ...draft,
      asRatio: draft.asRatio && !isSingle,
      series: isSingle ? series.slice(0, 1) : series,
    })
  }
  const unit = units.find(({ format }) => JSON.stringify(format) === JSON.stringify(first?.numberFormat))
  const isCharted = type !== 'markdown' && type !== 'search'
  return (
    <aside class="tile-editor-side" aria-label="How it is shown">
      <TextField label="Name" value={draft.name} onChange={(name) => onChange({ ...draft, name })} />
      <fieldset class="field">
        <legend class="field-label">Shown as</legend>
        <div class="tile-types">
          {types.map((one) => (
            <label key={one.type} class="tile-type" data-on={one.type === type}>
              <input
                class="sr"
                type="radio"
                name="type"
                checked={one.type === type}
                onChange={() => setType(one.type)}
              />
              <Icon name={one.icon} />
              <span>{one.name}</span>
            </label>
          ))}
        </div>
      </fieldset>
      {type === 'time' && (
        <div class="field">
          <span class="field-label">Drawn as</span>
          <Segment
            label="Drawn as"
            isFull
            value={first?.displayType ?? 'line'}
            options={[
              { value: 'line', name: 'Lines', icon: 'line' },
              { value: 'stacked_bar', name: 'Stacked bars', icon: 'bars' },
            ]}
            onChange={(displayType) => all((one) => ({ ...one, displayType }))}
          />
        </div>
      )}
      {isCharted && (
        <SelectField
          label="Unit"
          value={unit?.value ?? 'own'}
          options={[...units, ...(unit ? [] : [{ value: 'own', name: 'as it is set' }])]}
          onChange={(value) => {
            const format = units.find((one) => one.value === value)?.format
            all(({ numberFormat: _, ...one }) => (format ? { ...one, numberFormat: format } : one))
          }}
        />
      )}
      <div class="pair">
        <NumberField
          label="Width"
          unit="of 24"
          min={1}
          max={24}
          step={1}
          value={draft.w}
          onChange={(w) => {
            const fits = Math.max(1, Math.min(24, Math.round(w ?? draft.w)))
            onChange({ ...draft, w: fits, x: Math.min(draft.x, 24 - fits) })
          }}
        />
        <NumberField
          label="Height"
          unit="rows"
          min={1}
          step={1}
          value={draft.h}
          onChange={(h) => onChange({ ...draft, h: Math.max(1, Math.round(h ?? draft.h)) })}
        />
      </div>
    </aside>
  )
}

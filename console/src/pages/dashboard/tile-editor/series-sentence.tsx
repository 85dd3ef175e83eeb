import { useId } from 'preact/hooks'
import { Icon } from '../../../kit/icon.tsx'
import { useListText } from '../../../kit/list-text.ts'
import { Menu } from '../../../kit/menu.tsx'
import { Segment } from '../../../kit/segment.tsx'
import { Select } from '../../../kit/select-field.tsx'
import { TextArea } from '../../../kit/text-field.tsx'
import { raised } from '../../../lib/words.ts'
import type { Series } from '../dashboard-types.ts'
import { letterOf } from './letter.ts'
import type { Judged } from './use-judged.ts'

const functions = [
  ...['count', 'count_per_sec', 'count_per_min', 'count_distinct', 'sum', 'sum_rate', 'avg', 'min', 'max'],
  ...['p50', 'p75', 'p90', 'p95', 'p99', 'any', 'last_value', 'increase', 'none'],
] as const

interface SentenceProps {
  index: number
  series: Series
  judged: Judged | null
  sources: readonly string[]
  onChange: (next: Series) => void
  onRemove: (() => void) | null
}

/** "Show p95 of duration from events as p95, where service:checkout": a series as a sentence. */
export function SeriesSentence({ index, series, judged, sources, onChange, onRemove }: SentenceProps) {
  const letter = letterOf(index)
  const isSql = series.sql !== undefined
  const known = [...new Set(['events', 'metrics', ...sources, series.dataSource])]
  const isRows = series.type === 'search'
  const toSql = () => {
    const { field: _, where: __, whereLanguage: ___, level: ____, ...rest } = series
    onChange({ ...rest, where: '', groupBy: [], aggFn: 'none', sql: 'SELECT 1 AS value' })
  }
  const toWords = () => {
    const { sql: _, ...rest } = series
    onChange({ ...rest, aggFn: isRows ? '' : 'count' })
  }
  const fields = useListText(series.fields ?? [], (fields) => onChange({ ...series, fields }))
  const source = (
    <>
      <span>from</span>
      <Select
        label={`Source of series ${letter}`}
        value={series.dataSource}
        options={known.map((value) => ({ value, name: value }))}
        onChange={(dataSource) => {
          const { sourceId: _, ...rest } = series
          onChange({ ...rest, dataSource })
        }}
      />
    </>
  )
  return (
    <li class="series-line">
      <span class="series-letter" aria-hidden="true">
        {letter}
      </span>
      <div class="series-body">
        <div class="series-sentence">
          <span>Show</span>
          {isRows ? (
            <Input label={`Fields of series ${letter}`} placeholder="all columns" isWide {...fields} />
          ) : series.type === 'histogram' ? (
            <Input
              label={`Field of series ${letter}`}
              value={series.field ?? ''}
              placeholder="field"
              onChange={(field) => onChange({ ...series, field })}
            />
          ) : isSql ? (
            <span>a statement</span>
          ) : (
            <>
              <Select
                label={`Function of series ${letter}`}
                value={series.aggFn || 'count'}
                options={[...new Set([...functions, series.aggFn || 'count'])].map((value) => ({
                  value,
                  name: value === 'none' ? 'expression' : value.replaceAll('_', ' '),
                }))}
                onChange={(aggFn) => onChange({ ...series, aggFn })}
              />
              <span>of</span>
              <Input
                label={`Field of series ${letter}`}
                value={series.field ?? ''}
                placeholder={/^count(_per|$)/.test(series.aggFn) ? 'rows' : 'field'}
                onChange={(text) => {
                  const { field: _, ...rest } = series
                  onChange(text === '' ? rest : { ...rest, field: text })
                }}
              />
            </>
          )}
          {source}
          {!isRows && (
            <>
              <span>as</span>
              <Input
                label={`Name of series ${letter}`}
                value={series.alias ?? ''}
                placeholder="its function"
                onChange={(text) => {
                  const { alias: _, ...rest } = series
                  onChange(text === '' ? rest : { ...rest, alias: text })
                }}
              />
            </>
          )}
        </div>
        {isSql ? (
          <TextArea
            label={`SQL of series ${letter}`}
            hint="One SELECT; $__timeFilter(ts), $__timeInterval(ts) and variables as $name are filled in."
            isMono
            rows={6}
            value={series.sql ?? ''}
            onChange={(sql) => onChange({ ...series, sql })}
          />
        ) : (
          <Where letter={letter} series={series} judged={judged} onChange={onChange} />
        )}
      </div>
      <Menu
        label={`Menu of series ${letter}`}
        entries={[
          isSql
            ? { name: 'Write it as a sentence', icon: 'text', onPress: toWords }
            : series.type !== 'histogram' && { name: 'Write it as SQL', icon: 'sql', onPress: toSql },
          {
            ...{ name: 'Remove series', icon: 'x' as const, onPress: () => onRemove?.() },
            reason: onRemove ? null : 'A tile has at least one series.',
          },
        ]}
      />
    </li>
  )
}

/** The filter, and beneath it what it means, or what is wrong and where. */
function Where(props: Pick<SentenceProps, 'series' | 'judged' | 'onChange'> & { letter: string }) {
  const { letter, series, judged, onChange } = props
  const id = useId()
  const [error] = judged?.errors ?? []
  return (
    <div class="series-where">
      <label for={id}>where</label>
      <div class="grow">
        <input
          id={id}
          class="input input-mono"
          aria-label={`Filter of series ${letter}`}
          value={series.where}
          spellcheck={false}
          placeholder="every row"
          aria-invalid={error ? true : undefined}
          aria-describedby={`${id}-note`}
          onInput={(event) => onChange({ ...series, where: event.currentTarget.value })}
        />
        <p id={`${id}-note`} class={error ? 'field-error' : 'field-hint'}>
          {error ? (
            <>
              <Icon name="failed" size="small" />
              <span>
                {raised(error.message)}
                {error.position !== undefined && ` at ${error.position + 1}`}.
                {(error.suggestions ?? []).length > 0 && ' Did you mean '}
                {(error.suggestions ?? []).map((name) => (
                  <button
                    key={name}
                    type="button"
                    class="series-suggestion"
                    onClick={() =>
                      onChange({ ...series, where: replacedAt(series.where, error.position ?? 0, name) })
                    }
                  >
                    {name}
                  </button>
                ))}
              </span>
            </>
          ) : (
            judged?.english
          )}
        </p>
      </div>
      <Segment
        label={`Language of series ${letter}`}
        value={series.whereLanguage ?? 'lucene'}
        options={[
          { value: 'lucene', name: 'Words' },
          { value: 'sql', name: 'SQL' },
        ]}
        onChange={(whereLanguage) => onChange({ ...series, whereLanguage })}
      />
    </div>
  )
}

/** The name at the position is replaced; what follows it stays. */
const replacedAt = (text: string, position: number, name: string): string =>
  text.slice(0, position) + text.slice(position).replace(/^[^\s:()]+/, name)

function Input(props: {
  label: string
  value: string
  placeholder: string
  isWide?: boolean
  onChange: (value: string) => void
  onLeave?: () => void
}) {
  const { label, value, placeholder, isWide, onChange, onLeave } = props
  return (
    <input
      class={isWide ? 'input input-mono series-wide' : 'input input-mono'}
      aria-label={label}
      value={value}
      placeholder={placeholder}
      spellcheck={false}
      onInput={(event) => onChange(event.currentTarget.value)}
      onBlur={onLeave}
    />
  )
}

import { useState } from 'preact/hooks'
import { useResource } from '../../../api/resource.ts'
import { Button } from '../../../kit/button.tsx'
import { CheckField } from '../../../kit/check-field.tsx'
import { Panel } from '../../../kit/panel.tsx'
import type { Series, Tile } from '../dashboard-types.ts'
import { SeriesSentence } from './series-sentence.tsx'
import type { Judged } from './use-judged.ts'

const most = 20

export function SeriesPanel(props: {
  draft: Tile
  judged: readonly (Judged | null)[]
  onChange: (next: Tile) => void
}) {
  const { draft, judged, onChange } = props
  const sources = useResource('sources.list', {}, { pace: 'still' })
  const { series } = draft
  const type = series[0]?.type ?? 'time'
  const isSingle = type === 'search'
  const set = (next: Series[]) =>
    onChange({ ...draft, series: next, asRatio: draft.asRatio && next.length === 2 })
  const hasGroups = type !== 'histogram' && type !== 'search' && series.every(({ sql }) => sql === undefined)
  return (
    <Panel
      title="Series"
      note={`${series.length} of ${isSingle ? 1 : most}`}
      tools={
        !isSingle && (
          <>
            {series.length === 2 && type !== 'histogram' && (
              <CheckField
                label="As ratio, A ÷ B"
                value={draft.asRatio}
                onChange={(asRatio) => onChange({ ...draft, asRatio })}
              />
            )}
            <Button
              size="small"
              icon="plus"
              reason={series.length >= most ? `A tile has at most ${most} series.` : null}
              onPress={() => set([...series, ...series.slice(-1)])}
            >
              Series
            </Button>
          </>
        )
      }
      foot={
        hasGroups && (
          <Groups
            groups={series[0]?.groupBy ?? []}
            onChange={(groupBy) => set(series.map((one) => ({ ...one, groupBy })))}
          />
        )
      }
    >
      <ol class="series-list">
        {series.map((one, index) => (
          <SeriesSentence
            key={index}
            {...{ index, series: one, judged: judged[index] ?? null }}
            sources={(sources.data.value ?? []).map(({ name }) => name)}
            onChange={(next) => set(series.map((old, at) => (at === index ? next : old)))}
            onRemove={series.length > 1 ? () => set(series.filter((_, at) => at !== index)) : null}
          />
        ))}
      </ol>
    </Panel>
  )
}

function Groups({ groups, onChange }: { groups: readonly string[]; onChange: (groups: string[]) => void }) {
  const [typed, setTyped] = useState('')
  const add = () => {
    const name = typed.trim()
    if (name !== '' && !groups.includes(name)) onChange([...groups, name])
    setTyped('')
  }
  return (
    <form
      class="series-groups"
      onSubmit={(event) => {
        event.preventDefault()
        add()
      }}
    >
      <span>Grouped by</span>
      {groups.map((group) => (
        <span key={group} class="chip">
          {group}
          <Button
            tone="quiet"
            size="small"
            icon="x"
            label={`Remove ${group}`}
            onPress={() => onChange(groups.filter((one) => one !== group))}
          />
        </span>
      ))}
      <input
        class="input input-small input-mono"
        aria-label="Field to group by"
        placeholder="field"
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onBlur={add}
      />
      <Button submit size="small" tone="quiet" icon="plus">
        Field
      </Button>
    </form>
  )
}

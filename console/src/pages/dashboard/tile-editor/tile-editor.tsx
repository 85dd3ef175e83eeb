import { useEffect, useRef, useState } from 'preact/hooks'
import { toApiError } from '../../../api/api-error.ts'
import { callFull } from '../../../api/call.ts'
import { refresh } from '../../../api/resource.ts'
import { Page } from '../../../frame/page.tsx'
import { Button } from '../../../kit/button.tsx'
import { Code } from '../../../kit/code.tsx'
import { askToLeave } from '../../../kit/confirm.tsx'
import { Notice } from '../../../kit/notice.tsx'
import { Panel } from '../../../kit/panel.tsx'
import { TextArea } from '../../../kit/text-field.tsx'
import { guardLeaving, navigate } from '../../../lib/address.ts'
import { type Past, pastOf, step } from '../../../lib/past.ts'
import { listed, raised } from '../../../lib/words.ts'
import type { Answer, Dashboard, Series, Tile } from '../dashboard-types.ts'
import { TileView } from '../tile/tile-view.tsx'
import { TimePicker } from '../time-picker.tsx'
import { UndoRedo } from '../undo-redo.tsx'
import { useView } from '../use-view.ts'
import { letterOf } from './letter.ts'
import { SeriesPanel } from './series-panel.tsx'
import { ShownAs } from './shown-as.tsx'
import { useJudged, useSettled } from './use-judged.ts'

/** Preview above, series as sentences beneath, how it is shown at the side. */
export function TileEditor(props: {
  dashboard: Dashboard
  version: string | null
  tile: Tile
  isNew: boolean
}) {
  const { dashboard, version, tile: first, isNew } = props
  const [past, setPast] = useState<Past<Tile>>(() => pastOf(first))
  const [answer, setAnswer] = useState<Answer | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const view = useView(dashboard)
  const draft = past.now
  const change = (next: Tile) => setPast((all) => step(all, next))
  const settled = useSettled(draft)
  const { all: judged, isCurrent } = useJudged(settled.series, view.variables)
  const isWrong = (one: Series, index: number) => judged[index]?.valid === false || lacksField(one)
  const good = settled.series.filter((one, index) => !isWrong(one, index))
  const leftOut = settled.series.flatMap((one, index) => (isWrong(one, index) ? [letterOf(index)] : []))
  // Until the filters are judged, and while no series can be read, the last good preview stays.
  const drawn = useRef(first)
  if (isCurrent && good.length > 0) {
    drawn.current = { ...settled, series: good, asRatio: settled.asRatio && good.length === 2 }
  }
  const isChanged = isNew || JSON.stringify(draft) !== JSON.stringify(first)
  useEffect(() => {
    if (past.before.length > 0) return guardLeaving(askToLeave)
  }, [past.before.length > 0])
  const isText = draft.series[0]?.type === 'markdown'
  const save = async () => {
    setProblem(null)
    const tiles = isNew
      ? [...dashboard.tiles, draft]
      : dashboard.tiles.map((tile) => (tile.id === draft.id ? draft : tile))
    try {
      await callFull('dashboards.replace', {
        ...{ params: { dashboardId: dashboard.id }, body: { ...dashboard, tiles } },
        ...(version === null ? {} : { ifMatch: version }),
      })
      refresh('dashboards.get', 'dashboards.list', 'dashboards.listVersions')
      await navigate(`/dashboards/${dashboard.id}`, { isSaved: true })
    } catch (thrown) {
      const error = toApiError(thrown)
      setProblem(
        error.status === 412
          ? 'Somebody saved this dashboard meanwhile. Copy what you need, and open the tile again.'
          : error.message,
      )
    }
  }
  return (
    <Page
      title={isNew ? 'New tile' : `Edit tile ${first.name}`}
      crumb={draft.name || 'Tile'}
      crumbs={[
        { name: 'Dashboards', href: '/dashboards' },
        { name: dashboard.name, href: `/dashboards/${dashboard.id}` },
      ]}
      layout="wide"
      actions={
        <>
          <TimePicker view={view} />
          <UndoRedo past={past} onChange={setPast} />
          <Button href={`/dashboards/${dashboard.id}`}>Discard</Button>
          <Button tone="primary" reason={isChanged ? null : 'Nothing is changed.'} onPress={save}>
            Save tile
          </Button>
        </>
      }
    >
      {problem !== null && (
        <Notice hue="bad" role="alert" title="The tile was not saved.">
          {raised(problem)}
        </Notice>
      )}
      <div class="tile-editor">
        <div class="tile-editor-main">
          <TileView
            class="tile-preview"
            tile={{ ...drawn.current, name: settled.name }}
            {...{ view, wakes: null, onAnswer: setAnswer }}
          />
          {leftOut.length > 0 && (
            <Notice hue="warn" role="status">
              Drawn without {listed(leftOut)}, which cannot be read yet.
            </Notice>
          )}
          {isText ? (
            <Panel title="Text" isPadded>
              <TextArea
                label="Markdown"
                rows={12}
                isMono
                value={draft.series[0]?.content ?? ''}
                onChange={(content) =>
                  change({ ...draft, series: draft.series.slice(0, 1).map((one) => ({ ...one, content })) })
                }
              />
            </Panel>
          ) : (
            <SeriesPanel {...{ draft, judged }} onChange={change} />
          )}
          {!isText && answer && (
            <Panel title="SQL" note="as it is sent, read-only" isPadded>
              {answer.meta.sql.map((sql, index) => (
                <Code key={index} text={sql} language="sql" label="Copy SQL" />
              ))}
            </Panel>
          )}
        </div>
        <ShownAs draft={draft} onChange={change} />
      </div>
    </Page>
  )
}

/** Functions other than counts need something that they are of. */
const lacksField = ({ type, aggFn, field = '', sql, metricName }: Series): boolean =>
  sql === undefined &&
  metricName === undefined &&
  field.trim() === '' &&
  (type === 'histogram' || (aggFn !== '' && !/^count(_per_|$)/.test(aggFn)))

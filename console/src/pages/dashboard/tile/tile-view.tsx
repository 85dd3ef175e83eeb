import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Button } from '../../../kit/button.tsx'
import { Code } from '../../../kit/code.tsx'
import { useCssVars } from '../../../kit/css-vars.ts'
import { Dialog } from '../../../kit/dialog.tsx'
import { Menu, type MenuEntry } from '../../../kit/menu.tsx'
import { search } from '../../../lib/address.ts'
import { formatExact } from '../../../lib/numbers.ts'
import { setQuery } from '../../../lib/url-state.ts'
import type { Answer, Tile } from '../dashboard-types.ts'
import type { View } from '../use-view.ts'
import { joinList, splitList } from '../view-query.ts'
import { stepName } from './granularity.ts'
import { MarkdownContent } from './markdown-content.tsx'
import { download, tileCsv } from './tile-csv.ts'
import { TileDrawing } from './tile-drawing.tsx'
import { askBefore, askCourse, askTile, type Circumstances, hasCourse } from './tile-questions.ts'
import { TileNote, TileWaiting } from './tile-state.tsx'
import './tile.css'
import { useAnswer } from './use-answer.ts'
import { useInView } from './use-in-view.ts'

export interface TileViewProps {
  tile: Tile
  view: View
  /** Absent: the tile is only drafted. */
  dashboardId?: string
  /** The name of a service that sleeps and has the data of this tile. */
  wakes: string | null
  isFull?: boolean
  /** Entries of the menu beyond SQL and CSV. */
  entries?: readonly MenuEntry[]
  /** Told of every new answer. */
  onAnswer?: (answer: Answer) => void
  /** Handles of the layout. */
  children?: ComponentChildren
  class?: string
}

/** A tile: it asks when it is in view, keeps its newest answer, and says what state that is in. */
export function TileView(props: TileViewProps) {
  const { tile, view, dashboardId, wakes, isFull, entries = [], children } = props
  const place = useCssVars<HTMLElement>({
    '--x': tile.x + 1,
    '--y': tile.y + 1,
    '--w': tile.w,
    '--h': tile.h,
  })
  const isInView = useInView(place)
  const [isSql, setSql] = useState(false)
  const id = useId()
  const type = tile.series[0]?.type ?? 'time'
  const isText = type === 'markdown'
  const at: Circumstances = {
    ...(dashboardId === undefined ? {} : { dashboardId }),
    ...{ range: view.range, where: view.where, variables: view.variables },
  }
  const key = useKeyInView(
    JSON.stringify([at, view.tick, dashboardId ?? tile.series, tile.id, tile.asRatio]),
    isInView && !isText,
  )
  const asked = useAnswer(key, (signal, onProgress) => askTile(tile, at, signal, onProgress))
  const hasMore = hasCourse(tile)
  const before = useAnswer(hasMore ? key : null, (signal) => askBefore(tile, at, signal))
  const course = useAnswer(
    hasMore ? key : null,
    (signal) => askCourse(tile, at, signal) ?? Promise.reject(signal),
  )
  const answer = asked.answer.value
  useEffect(() => {
    if (answer) props.onAnswer?.(answer)
  }, [answer])
  const name = tile.name || 'Untitled'
  const hideName = `hide.${tile.id}`
  const more = async (cursor: string): Promise<Answer> =>
    askTile(tile, at, AbortSignal.timeout(60_000), undefined, { cursor })
  return (
    <section
      ref={place}
      class={['tile', isFull && 'tile-full', props.class].filter(Boolean).join(' ')}
      data-type={type}
      data-tile={tile.id}
      aria-labelledby={id}
      aria-busy={asked.isAsking.value}
    >
      <header class="tile-head">
        <h2 id={id}>{name}</h2>
        {answer && <span class="tile-meta">{metaOf(answer)}</span>}
        <span class="grow" />
        <Menu
          label={`Menu of tile ${name}`}
          entries={[
            ...entries,
            !isText && 'line',
            !isText && {
              ...{ name: 'Show SQL', icon: 'sql' as const, onPress: () => setSql(true) },
              reason: answer ? null : 'There is no answer yet.',
            },
            !isText && {
              ...{ name: 'Download CSV', icon: 'download' as const },
              onPress: () => answer && download(`${name}.csv`, tileCsv(tile, answer)),
              reason: answer ? null : 'There is no answer yet.',
            },
          ]}
        />
      </header>
      <div class="tile-body">
        {isText ? (
          <MarkdownContent content={tile.series[0]?.content ?? ''} name={name} />
        ) : answer ? (
          <TileDrawing
            {...{ tile, answer, more }}
            {...{ range: shownRange(answer, view), timeZone: view.timeZone, colours: view.colours }}
            before={before.answer.value}
            course={course.answer.value}
            hidden={splitList(new URLSearchParams(search.value).get(hideName) ?? '')}
            onHide={(names) => setQuery({ [hideName]: names.length === 0 ? null : joinList(names) })}
            onZoom={view.zoom}
            onZoomOut={() => view.move('out')}
          />
        ) : (
          <TileWaiting asked={asked} wakes={wakes} />
        )}
      </div>
      <TileNote asked={asked} wakes={wakes} />
      {children}
      {isSql && answer && <SqlDialog name={name} answer={answer} onClose={() => setSql(false)} />}
    </section>
  )
}

/** The key of the newest question that was asked in view: a tile out of view does not ask, nor does it forget. */
function useKeyInView(wanted: string, isInView: boolean): string | null {
  const key = useRef<string | null>(null)
  if (isInView) key.current = wanted
  return key.current
}

/** The answer may be older than the range of the page: its own range is drawn. */
const shownRange = (answer: Answer, view: View) => {
  const { startTime, endTime } = answer.meta
  const isOfView = startTime <= view.range.from + 1 && endTime >= view.range.to - 1
  return isOfView ? view.range : { from: startTime, to: endTime }
}

/** `5 min`, `50 of 1,204 groups`. */
function metaOf({ meta }: Answer): string {
  const groups = meta.groups && meta.groups.hidden > 0 ? meta.groups : null
  return [
    meta.granularity && `per ${stepName(meta.granularity)}`,
    groups && `${formatExact(groups.shown)} of ${formatExact(groups.shown + groups.hidden)} groups`,
  ]
    .filter(Boolean)
    .join(', ')
}

function SqlDialog({ name, answer, onClose }: { name: string; answer: Answer; onClose: () => void }) {
  const { sql, where } = answer.meta
  const said = where.filter((one) => one !== '')
  return (
    <Dialog
      title={`SQL of ${name}`}
      isWide
      onClose={onClose}
      {...(said.length > 0 ? { text: said.join('; ') } : {})}
    >
      {sql.map((one, index) => (
        <Code key={index} text={one} language="sql" label="Copy SQL" wraps />
      ))}
      <div class="actions actions-end">
        <Button mark="first" onPress={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  )
}

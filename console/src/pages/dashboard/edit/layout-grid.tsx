import { useRef, useState } from 'preact/hooks'
import { announce } from '../../../kit/announce.tsx'
import { Icon } from '../../../kit/icon.tsx'
import { type Cell, type Change, changed, columns, fitted, placed, snapped } from '../../../lib/grid.ts'
import type { Dashboard, Tile } from '../dashboard-types.ts'
import { TileView } from '../tile/tile-view.tsx'
import { copyOf } from '../tile-actions.ts'
import type { View } from '../use-view.ts'
import { useWaking } from '../waking.ts'

/** Tiles that are moved and sized by mouse and by keys. A change is one step when it is put down. */
export function LayoutGrid(props: {
  draft: Dashboard
  stored: Dashboard
  view: View
  onChange: (next: Dashboard) => void
}) {
  const { draft, stored, view, onChange } = props
  const grid = useRef<HTMLDivElement>(null)
  /** What is taken up, with the place that it would take. */
  const [held, setHeld] = useState<Cell | null>(null)
  const wakes = useWaking()
  const tiles = held ? placed(draft.tiles, held) : draft.tiles
  const putDown = (cell: Cell | null) => {
    if (cell) onChange({ ...draft, tiles: placed(draft.tiles, cell) })
    setHeld(null)
  }

  const onKey = (event: KeyboardEvent, tile: Tile) => {
    const isHeld = held?.id === tile.id
    const change = changeOf(event)
    if (event.key === 'Enter' || event.key === ' ') {
      if (isHeld) putDown(held)
      else setHeld(cellOf(tile))
      announce(isHeld ? `${tile.name} is put down.` : `${tile.name} is taken up. ${placeOf(tile)}`)
    } else if (isHeld && event.key === 'Escape') {
      setHeld(null)
      announce(`${tile.name} is back where it was.`)
    } else if (isHeld && held && change) {
      const next = changed(held, change, event.altKey)
      setHeld(next)
      announce(placeOf(next))
    } else return
    event.preventDefault()
    event.stopPropagation()
  }

  const onPointer = (event: PointerEvent, tile: Tile, kind: 'move' | 'size') => {
    const box = grid.current?.getBoundingClientRect()
    if (!box || !grid.current || event.button !== 0) return
    event.preventDefault()
    const handle = event.currentTarget as HTMLElement
    handle.setPointerCapture(event.pointerId)
    const style = getComputedStyle(grid.current)
    const gap = Number.parseFloat(style.columnGap) || 0
    const row = (Number.parseFloat(style.gridAutoRows) || 38) + gap
    const column = (box.width + gap) / columns
    const start = { x: event.clientX, y: event.clientY + scrollY }
    let wish: Cell = cellOf(tile)
    const onMove = (move: PointerEvent) => {
      const by = move.altKey ? 1 : 2
      const dx = (move.clientX - start.x) / column
      const dy = (move.clientY + scrollY - start.y) / row
      wish =
        kind === 'move'
          ? fitted({ ...cellOf(tile), x: snapped(tile.x + dx, by), y: Math.round(tile.y + dy) })
          : fitted({
              ...cellOf(tile),
              w: Math.min(columns - tile.x, Math.max(2, snapped(tile.w + dx, by))),
              h: Math.max(2, Math.round(tile.h + dy)),
            })
      setHeld(wish)
    }
    const end = (isTaken: boolean) => {
      handle.removeEventListener('pointermove', onMove)
      putDown(isTaken ? wish : null)
    }
    handle.addEventListener('pointermove', onMove)
    handle.addEventListener('pointerup', () => end(true), { once: true })
    handle.addEventListener('pointercancel', () => end(false), { once: true })
  }

  return (
    <div class="dashboard-grid layout-grid" ref={grid}>
      {tiles.map((tile) => {
        const isStored = stored.tiles.some(({ id }) => id === tile.id)
        const name = tile.name || 'Untitled'
        return (
          <TileView
            key={tile.id}
            {...{ tile, view, wakes: wakes(tile) }}
            {...(isStored ? { dashboardId: draft.id } : {})}
            class={held?.id === tile.id ? 'tile-held' : ''}
            entries={[
              {
                ...{ name: 'Duplicate', icon: 'copy' as const },
                onPress: () => onChange({ ...draft, tiles: [...draft.tiles, copyOf(tile, draft.tiles)] }),
              },
              {
                ...{ name: 'Delete tile', icon: 'trash' as const, isDangerous: true },
                onPress: () => onChange({ ...draft, tiles: draft.tiles.filter(({ id }) => id !== tile.id) }),
              },
            ]}
          >
            <button
              type="button"
              class="tile-handle"
              aria-label={`Move tile ${name}`}
              aria-pressed={held?.id === tile.id}
              onKeyDown={(event) => onKey(event, tile)}
              onBlur={() => held?.id === tile.id && putDown(held)}
              onPointerDown={(event) => onPointer(event, tile, 'move')}
            >
              <Icon name="drag" />
            </button>
            <span
              class="tile-corner"
              aria-hidden="true"
              onPointerDown={(event) => onPointer(event, tile, 'size')}
            />
          </TileView>
        )
      })}
    </div>
  )
}

const cellOf = ({ id, x, y, w, h }: Cell): Cell => ({ id, x, y, w, h })

const placeOf = ({ x, y, w, h }: Cell): string => `Column ${x + 1}, row ${y + 1}, ${w} wide, ${h} high.`

function changeOf({ key, shiftKey }: KeyboardEvent): Change | null {
  const moves: Record<string, [Change, Change]> = {
    ArrowLeft: ['left', 'narrower'],
    ArrowRight: ['right', 'wider'],
    ArrowUp: ['up', 'shorter'],
    ArrowDown: ['down', 'taller'],
  }
  return moves[key]?.[shiftKey ? 1 : 0] ?? null
}

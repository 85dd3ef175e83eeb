/**
 * The grid of a dashboard: 24 columns, no last row. A tile that is moved pushes what it would cover down; afterwards
 * every tile goes up as far as it can, so that no empty rows stay.
 */
export interface Cell {
  id: string
  x: number
  y: number
  w: number
  h: number
}

export const columns = 24
/** What is seen as one column. */
export const snap = 2
export const least = { w: 2, h: 2 }

export type Change = 'left' | 'right' | 'up' | 'down' | 'wider' | 'narrower' | 'taller' | 'shorter'

/** The place inside the grid that is nearest to the wish. */
export function fitted<T extends Cell>(cell: T): T {
  const w = bounded(Math.round(cell.w), 1, columns)
  const h = Math.max(1, Math.round(cell.h))
  return { ...cell, w, h, x: bounded(Math.round(cell.x), 0, columns - w), y: Math.max(0, Math.round(cell.y)) }
}

/** The wish in whole steps. */
export const snapped = (value: number, by = snap): number => Math.round(value / by) * by

/** One press of a key: sideways by a seen column (or one with `isFine`), up and down by a row. */
export function changed<T extends Cell>(cell: T, change: Change, isFine = false): T {
  const by = isFine ? 1 : snap
  const next = { ...cell }
  if (change === 'left') next.x -= by
  if (change === 'right') next.x += by
  if (change === 'up') next.y -= 1
  if (change === 'down') next.y += 1
  if (change === 'wider') next.w = Math.min(cell.w + by, columns - cell.x)
  if (change === 'narrower') next.w = Math.max(cell.w - by, Math.min(cell.w, least.w))
  if (change === 'taller') next.h += 1
  if (change === 'shorter') next.h = Math.max(cell.h - 1, Math.min(cell.h, least.h))
  return fitted(next)
}

/** All tiles after one of them took its new place. Their order stays. */
export function placed<T extends Cell>(cells: readonly T[], wish: Cell): T[] {
  const mine = fitted(wish)
  const settled: Cell[] = [mine]
  const others = cells.filter(({ id }) => id !== mine.id).sort(byPlace)
  for (const other of others) settled.push(lowered(other, settled))
  const all = compacted(settled.sort(byPlace))
  const at = new Map(all.map((cell) => [cell.id, cell]))
  return cells.map((cell) => {
    const { x, y, w, h } = at.get(cell.id) ?? cell
    return { ...cell, x, y, w, h }
  })
}

/** Every tile as far up as it can be. */
export function compacted<T extends Cell>(cells: readonly T[]): T[] {
  const done: T[] = []
  for (const cell of [...cells].sort(byPlace)) {
    let y = cell.y
    while (y > 0 && !done.some((other) => overlaps({ ...cell, y: y - 1 }, other))) y -= 1
    done.push({ ...cell, y })
  }
  return done
}

/** The first free place for a new tile of this size: beside the last row if there is room, else beneath. */
export function freePlace(cells: readonly Cell[], w: number, h: number): { x: number; y: number } {
  const bottom = Math.max(0, ...cells.map((cell) => cell.y + cell.h))
  for (let y = 0; y <= bottom; y += 1) {
    for (let x = 0; x + w <= columns; x += snap) {
      const wish = { id: '', x, y, w, h }
      if (!cells.some((cell) => overlaps(wish, cell))) return { x, y }
    }
  }
  return { x: 0, y: bottom }
}

export const overlaps = (one: Cell, other: Cell): boolean =>
  one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h

function lowered<T extends Cell>(cell: T, settled: readonly Cell[]): T {
  let { y } = cell
  for (;;) {
    const hit = settled.find((other) => overlaps({ ...cell, y }, other))
    if (!hit) return { ...cell, y }
    y = hit.y + hit.h
  }
}

const byPlace = (one: Cell, other: Cell): number => one.y - other.y || one.x - other.x
const bounded = (value: number, low: number, high: number): number => Math.max(low, Math.min(value, high))

import { confirm } from '../../kit/confirm.tsx'
import { run } from '../../kit/toast.tsx'
import { freePlace } from '../../lib/grid.ts'
import { changeDashboard } from './change-dashboard.ts'
import type { Tile } from './dashboard-types.ts'

export function duplicateTile(dashboardId: string, tile: Tile): Promise<boolean> {
  const work = changeDashboard(dashboardId, (dashboard) => ({
    ...dashboard,
    tiles: [...dashboard.tiles, copyOf(tile, dashboard.tiles)],
  }))
  return run(work, `${tile.name || 'The tile'} was not duplicated.`)
}

/** The server gives the copy an id of its own: it knows none of this name. */
export function copyOf(tile: Tile, tiles: readonly Tile[]): Tile {
  return { ...tile, id: newTileId(), name: `${tile.name} (copy)`.trim(), ...freePlace(tiles, tile.w, tile.h) }
}

export const newTileId = (): string => `new-${crypto.randomUUID().slice(0, 8)}`

export async function removeTile(dashboardId: string, tile: Tile): Promise<boolean> {
  const name = tile.name || 'this tile'
  const isAgreed = await confirm({
    title: `Delete tile ${name}?`,
    text: 'Its alerts go with it. An earlier version of the dashboard can be restored.',
    verb: 'Delete tile',
    isDangerous: true,
  })
  if (!isAgreed) return false
  const work = changeDashboard(dashboardId, (dashboard) => ({
    ...dashboard,
    tiles: dashboard.tiles.filter(({ id }) => id !== tile.id),
  }))
  return run(work, `${name} was not deleted.`)
}

import { useResource } from '../../../api/resource.ts'
import { Button } from '../../../kit/button.tsx'
import { Dialog } from '../../../kit/dialog.tsx'
import { Loaded } from '../../../kit/loaded.tsx'
import type { Dashboard } from '../dashboard-types.ts'

/** Somebody saved meanwhile: nothing is lost on either side unless it is chosen. */
export function ConflictDialog(props: {
  saved: Dashboard
  onCopy: () => Promise<unknown>
  onOverwrite: () => Promise<unknown>
  onReload: () => Promise<unknown>
  onClose: () => void
}) {
  const { saved, onCopy, onOverwrite, onReload, onClose } = props
  const current = useResource('dashboards.get', { params: { dashboardId: saved.id } })
  return (
    <Dialog title="Somebody saved this dashboard meanwhile" onClose={onClose}>
      <Loaded resource={current} rows={2}>
        {(now) => (
          <ul class="conflict-changes">
            {changesOf(saved, now).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        )}
      </Loaded>
      <div class="actions actions-end">
        <Button onPress={onReload}>Reload</Button>
        <Button tone="danger" onPress={onOverwrite}>
          Overwrite
        </Button>
        <Button tone="primary" mark="first" onPress={onCopy}>
          Keep mine as copy
        </Button>
      </div>
    </Dialog>
  )
}

/** What differs, tile by tile. */
export function changesOf(before: Dashboard, now: Dashboard): string[] {
  const name = (tile: { name: string }) => tile.name || 'an untitled tile'
  const known = new Map(before.tiles.map((tile) => [tile.id, tile]))
  const lines = [
    ...(before.name === now.name ? [] : [`It is called ${now.name} now.`]),
    ...now.tiles.filter(({ id }) => !known.has(id)).map((tile) => `${name(tile)} was added.`),
    ...before.tiles
      .filter(({ id }) => !now.tiles.some((tile) => tile.id === id))
      .map((tile) => `${name(tile)} was deleted.`),
    ...now.tiles
      .filter((tile) => known.has(tile.id) && JSON.stringify(known.get(tile.id)) !== JSON.stringify(tile))
      .map((tile) => `${name(tile)} was changed.`),
  ]
  return lines.length > 0 ? lines : ['Its settings were changed.']
}

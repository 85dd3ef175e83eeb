import { useMemo } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import { isDashboardOnly } from '../../api/session.ts'
import type { Tile } from './dashboard-types.ts'

/** Which sleeping service has the data of a tile, so that a wait can say why it is one. */
export function useWaking(): (tile: Tile) => string | null {
  const sources = useResource('sources.list', {})
  const services = useResource('services.list', {}, { when: !isDashboardOnly.value })
  const all = sources.data.value
  const known = services.data.value
  return useMemo(() => {
    const sleeping = new Map(
      (known ?? [])
        .filter(({ state }) => state === 'idle' || state === 'awaking')
        .map(({ id, name }) => [id, name]),
    )
    return (tile) => {
      if (sleeping.size === 0) return null
      for (const { dataSource, sourceId } of tile.series) {
        const source = (all ?? []).find(
          (one) =>
            one.id === (sourceId ?? dataSource) ||
            one.name === dataSource ||
            (one.isDefault && one.kind === dataSource),
        )
        const name = source && sleeping.get(source.serviceId)
        if (name !== undefined) return name
      }
      return null
    }
  }, [all, known])
}

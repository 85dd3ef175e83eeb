import { stored } from '../lib/stored.ts'

/** Ids of services by last use, the newest first. */
const recent = stored<string>('recent-services', '')
const most = 20

const idsOf = (): string[] => recent.value.split(',').filter((id) => id !== '')

export function markUsed(serviceId: string): void {
  const ids = idsOf()
  if (ids[0] !== serviceId)
    recent.value = [serviceId, ...ids.filter((id) => id !== serviceId)].slice(0, most).join(',')
}

/** The services used last come first, the others by name. */
export function recentFirst<T extends { id: string; name: string }>(services: readonly T[]): T[] {
  const ids = idsOf()
  const place = (id: string) => {
    const at = ids.indexOf(id)
    return at < 0 ? ids.length : at
  }
  return [...services].sort(
    (one, other) =>
      place(one.id) - place(other.id) || one.name.localeCompare(other.name, 'en', { numeric: true }),
  )
}

import { useResource } from './resource.ts'
import { may } from './session.ts'

/** The names, by id, of what entries of the audit trail are about and that is still there. */
export function useActivityNames(): ReadonlyMap<string, string> {
  const options = { when: may('dashboards:view') }
  const lists = [
    useResource('services.list').data.value,
    useResource('organizations.pipes').data.value,
    useResource('sources.list', {}, options).data.value,
    useResource('dashboards.list', {}, options).data.value,
    useResource('alerts.list', {}, options).data.value,
  ]
  const things = lists.flatMap((list): readonly { id: string; name: string }[] => list ?? [])
  return new Map(things.map(({ id, name }) => [id, name]))
}

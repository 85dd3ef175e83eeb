import { useResource } from './resource.ts'
import { may } from './session.ts'

/** The names, by id, of what entries of the audit trail are about and that is still there. */
export function useActivityNames(): ReadonlyMap<string, string> {
  const onBoards = { when: may('dashboards:view'), pace: 'still' as const }
  const lists = [
    useResource('services.list').data.value,
    useResource('organizations.pipes').data.value,
    useResource('sources.list', {}, onBoards).data.value,
    useResource('dashboards.list', {}, onBoards).data.value,
    useResource('alerts.list', {}, onBoards).data.value,
    useResource('queries.list', {}, { when: may('services:view'), pace: 'still' }).data.value,
    useResource('keys.list', {}, { when: may('keys:view'), pace: 'still' }).data.value,
  ]
  const things = lists.flatMap((list): readonly { id: string; name: string }[] => list ?? [])
  return new Map(things.map(({ id, name }) => [id, name]))
}

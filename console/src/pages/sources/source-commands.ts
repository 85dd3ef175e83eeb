import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { refresh } from '../../api/resource.ts'
import { confirm } from '../../kit/confirm.tsx'
import { run } from '../../kit/toast.tsx'

export type Source = Result<'sources.get'>

export const refreshSources = (): void => refresh('sources.list', 'sources.get', 'sources.proposals')

/** What a read answers can be sent back. */
export const makeDefault = (source: Source): Promise<boolean> =>
  run(
    call('sources.replace', { params: { sourceId: source.id }, body: { ...source, isDefault: true } }).then(
      refreshSources,
    ),
    `${source.name} is as it was.`,
  )

export async function removeSource({ id: sourceId, name }: Source): Promise<boolean> {
  const isMeant = await confirm({
    title: `Delete the source ${name}?`,
    text: 'Tiles that read it say so from then on. The table and its rows stay.',
    verb: `Delete ${name}`,
    isDangerous: true,
    typedName: name,
  })
  if (!isMeant) return false
  return run(
    call('sources.delete', { params: { sourceId } }).then(refreshSources),
    `${name} was not deleted.`,
  )
}

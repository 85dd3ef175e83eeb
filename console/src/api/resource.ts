import { useEffect, useMemo } from 'preact/hooks'
import { call } from './call.ts'
import { concerns, isStreaming, openChanges } from './changes.ts'
import type { Arguments, Id, Result } from './operations.ts'
import { createResources, type Pace, type Resource } from './resources.ts'
import { away, onReturn } from './server-away.ts'
import { onSignIn, session } from './session.ts'

const resources = createResources({
  load: (id, input) => call(id, ...([input] as unknown as Arguments<typeof id>)),
  intervalOf: (pace) =>
    pace === 'still' ? null : pace === 'fast' ? 2000 : isStreaming.value ? 30_000 : 10_000,
  mayAsk: () => document.visibilityState === 'visible' && away.value === null,
})

export interface ResourceOptions<T> {
  /** How often it is asked besides changes that the server tells. Default slow. */
  pace?: Pace | ((data: T | undefined) => Pace)
  /** False: nothing is asked, and there is no data. */
  when?: boolean
}

type Reader<Name extends Id> = undefined extends Arguments<Name>[0]
  ? [input?: Arguments<Name>[0], options?: ResourceOptions<Result<Name>>]
  : [input: Arguments<Name>[0], options?: ResourceOptions<Result<Name>>]

/**
 * What the operation answers, kept up to date while the component is there. The same operation and input in several
 * components is one resource.
 */
export function useResource<Name extends Id>(
  id: Name,
  ...[input = {}, options = {}]: Reader<Name>
): Resource<Result<Name>> {
  const { pace = 'slow', when = true } = options
  const key = JSON.stringify([id, input])
  // The key stands for the operation and its input.
  const entry = useMemo(() => resources.entry(id, input as object), [key])
  const own = typeof pace === 'string' ? pace : null
  // A pace that is a function is taken as it was first.
  useEffect(() => {
    if (!when) return
    return entry.retain((data) => (typeof pace === 'string' ? pace : pace(data as Result<Name>)))
  }, [entry, when, own])
  return entry as Resource<Result<Name>>
}

/** Reads again, now, what is in use and belongs to these operations: after a change by this page. */
export function refresh(...ids: Id[]): void {
  resources.refresh((entry) => ids.includes(entry.id))
}

/** Keeps resources up to date by the server's events, and reads all of them when tab, server or session return. */
export function startResources(): void {
  let close = () => {}
  let opened = ''
  const refreshAll = () => resources.refresh()
  session.subscribe((current) => {
    const of = current?.key.kind === 'management' ? current : null
    const wanted = of ? `${of.organization.id} ${of.key.id}` : ''
    if (wanted === opened) return
    close()
    close = () => {}
    opened = wanted
    if (!current) resources.clear()
    if (!of) return
    close = openChanges(
      { organizationId: of.organization.id, keyId: of.key.id },
      {
        onChange: (change) => resources.refresh((entry) => concerns(change, entry.id, entry.input.params)),
        onReopen: refreshAll,
      },
    )
  })
  onReturn(refreshAll)
  onSignIn(refreshAll)
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible' && away.value === null) refreshAll()
  })
}

import { randomInt } from 'node:crypto'
import type { DemoProgress, DemoRecord } from '../domain/demo/types.ts'
import { type DemoView, viewDemo } from '../domain/demo/view.ts'
import { AppError } from '../domain/errors.ts'
import { visibleServices } from '../domain/key/permissions.ts'
import { newHexId, newId } from '../lib/ids.ts'
import { type Caller, type ControlContext, loadOrganization, recordActivity } from './context.ts'

/** What makes and removes demos in this process. */
export interface DemoPort {
  /** Requests of a week in new demos. */
  rows: number
  /** Tells that what is wanted has changed. Called after the transaction of the change. */
  wake(): void
  progress(organizationId: string): DemoProgress | null
}

export async function getDemo({ store, demo }: ControlContext, caller: Caller): Promise<DemoView> {
  const { organizationId } = caller.key
  const visible = visibleServices(caller.key)
  const found = await store.demos.get(organizationId)
  // A key does not learn of a service that it may not see.
  const isHidden = found !== null && visible !== 'all' && !visible.has(found.ids.service)
  const record = isHidden ? null : found
  const progress = isHidden ? null : (demo?.progress(organizationId) ?? null)
  return viewDemo(record, progress, await missingOf(store, record))
}

/** Asks for the demo; one that failed goes on where it failed, and one that is there stays as it is. */
export async function startDemo(context: ControlContext, caller: Caller): Promise<DemoView> {
  const { store, clock, demo: port } = context
  if (!port) throw new AppError('UNAVAILABLE', 'no engine runs here: a demo needs one')
  const { organizationId } = caller.key
  await store.transaction(async (tx) => {
    await loadOrganization(tx, caller, 'update')
    const current = await tx.demos.get(organizationId)
    const isLeft = current !== null && current.kept.length === 0
    if (isLeft && current.wanted === 'absent') throw new AppError('CONFLICT', 'the demo is being removed')
    const missing = isLeft ? await missingOf(tx, current) : null
    if (missing !== null) throw new AppError('CONFLICT', `${missing}: remove the demo first`)
    if (isLeft && current.error === null) return
    const next = isLeft ? { ...current, error: null } : newDemo(context, caller, port.rows)
    await tx.demos.save(next)
    const change = { type: 'demo_start' as const, serviceId: next.ids.service, resourceId: next.ids.service }
    await recordActivity(tx, clock, caller, change)
  })
  port.wake()
  return getDemo(context, caller)
}

/** Asks for the removal. Without a demo there is nothing to do. */
export async function removeDemo(context: ControlContext, caller: Caller): Promise<DemoView> {
  const { store, clock, demo: port } = context
  const { organizationId } = caller.key
  await store.transaction(async (tx) => {
    await loadOrganization(tx, caller, 'update')
    const current = await tx.demos.get(organizationId)
    if (!current) return
    // What an earlier removal left is a user's: it is only forgotten.
    if (current.kept.length > 0) return tx.demos.remove(organizationId)
    if (current.wanted === 'absent') return
    await tx.demos.save({ ...current, wanted: 'absent', error: null })
    const change = {
      type: 'demo_remove' as const,
      serviceId: current.ids.service,
      resourceId: current.ids.service,
    }
    await recordActivity(tx, clock, caller, change)
  })
  port?.wake()
  return getDemo(context, caller)
}

function newDemo({ clock, dataPlane }: ControlContext, { key }: Caller, rows: number): DemoRecord {
  const nowMs = clock.now()
  return {
    ...{
      organizationId: key.organizationId,
      dataPlaneId: dataPlane.id,
      wanted: 'present',
      isComplete: false,
    },
    ...{ startedAtMs: nowMs, seed: randomInt(2 ** 31), rows, error: null, kept: [] },
    by: { keyId: key.id, keyName: key.name },
    ids: {
      ...{ service: newId(), requestsPipe: newId(), metricsPipe: newId() },
      ...{ dashboard: newHexId(nowMs), alert: newHexId(nowMs) },
    },
  }
}

/** Why a demo that was complete runs no longer; null = what keeps it alive is there. */
async function missingOf(
  store: Pick<ControlContext['store'], 'services' | 'pipes'>,
  record: DemoRecord | null,
) {
  if (!record?.isComplete || record.wanted === 'absent') return null
  const service = await store.services.find(record.ids.service)
  if (!service || service.spec.deleting) return 'the service of the demo was deleted'
  const pipe = await store.pipes.find(record.ids.requestsPipe)
  return !pipe || pipe.deleting ? 'the pipe of the demo was deleted' : null
}

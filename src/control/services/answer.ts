import { commandsOfService, mayEnd, type ServiceCommands } from '../../domain/service/commands.ts'
import { isRestoring, type RestoreView, viewRestore } from '../../domain/service/restore.ts'
import type { ServiceRecord, ServiceSpec, ServiceStatus } from '../../domain/service/types.ts'
import { type ServiceView, viewService } from '../../domain/service/view.ts'
import type { ControlContext } from '../context.ts'

/** A service in an answer: with what can be done with it now, which activities do not record. */
export type ServiceAnswer = ServiceView & ServiceCommands & { restore?: RestoreView }

export async function answerService(context: ControlContext, service: ServiceRecord): Promise<ServiceAnswer> {
  const isShared = mayBeShared(service) && (await context.store.services.hasSecondaries(service.warehouseId))
  return withRestore(context, service, answerOf(context, service, isShared))
}

export async function answerServices(
  context: ControlContext,
  services: readonly ServiceRecord[],
): Promise<ServiceAnswer[]> {
  const owner = services.find(mayBeShared)?.organizationId
  const shared = new Set(owner === undefined ? [] : await context.store.services.sharedWarehouses(owner))
  return Promise.all(
    services.map((service) =>
      withRestore(context, service, answerOf(context, service, shared.has(service.warehouseId))),
    ),
  )
}

async function withRestore(
  { restoreProgress, clock }: ControlContext,
  service: ServiceRecord,
  answer: ServiceAnswer,
): Promise<ServiceAnswer> {
  const progress = isRestoring(service) ? await restoreProgress(service) : null
  return progress ? { ...answer, restore: viewRestore(progress, clock.now()) } : answer
}

/** Only then do the other services of the warehouse matter; a running service is answered without a look at them. */
const mayBeShared = (service: ServiceRecord): boolean => service.isPrimary && mayEnd(service)

// The store returns the same spec and status objects until the service changes, so the answer can be cached.
const answers = new WeakMap<ServiceStatus, { spec: ServiceSpec; isShared: boolean; answer: ServiceAnswer }>()

function answerOf({ endpoint }: ControlContext, service: ServiceRecord, isShared: boolean): ServiceAnswer {
  const known = answers.get(service.status)
  if (known?.spec === service.spec && known.isShared === isShared) return known.answer
  const answer = { ...viewService(service, endpoint), ...commandsOfService(service, isShared) }
  answers.set(service.status, { spec: service.spec, isShared, answer })
  return answer
}

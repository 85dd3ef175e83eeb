import { AppError, invalid } from '../domain/errors.ts'
import { planCreate, planDiscovery } from '../domain/pipe/create.ts'
import type { DiscoveryInput, PipeCreateInput, PipePatchInput } from '../domain/pipe/input.ts'
import { planPatch } from '../domain/pipe/patch.ts'
import { mergeSecrets, secretPresence } from '../domain/pipe/secrets.ts'
import type { PipeSecrets, PipeSpec, Planned } from '../domain/pipe/types.ts'
import type { ServiceRecord } from '../domain/service/types.ts'
import type { CheckedPipe, DiscoveredSchema, PipeCheck } from '../pipes/checks.ts'
import type { PipeRecord } from '../store/store.ts'
import { type Caller, type ControlContext, loadService, requireUsable } from './context.ts'

/**
 * What a request for a pipe must pass before its transaction: rules, and a look at source and table, which takes
 * seconds and so is no part of the transaction.
 */
export async function requireSoundPipe(
  context: ControlContext,
  caller: Caller,
  serviceId: string,
  body: PipeCreateInput,
): Promise<{ spec: PipeSpec; secrets: PipeSecrets } & Pick<PipeCheck, 'tables'>> {
  const service = await loadService(context.store, caller, serviceId)
  const { spec, secrets } = accept(planCreate(body))
  requireUsable(service)
  const tables = await requireSound(context, { serviceId, spec, secrets })
  return { spec, secrets, ...tables }
}

/** A change of the source, of a credential or of the columns is checked with what stays in force. */
export async function requireSoundChange(
  context: ControlContext,
  { pipe, service }: { pipe: PipeRecord; service: ServiceRecord },
  body: PipePatchInput,
): Promise<Pick<PipeCheck, 'tables'>> {
  const { source, destination, fieldMappings } = body
  if (context.pipeChecks === null || (source ?? destination ?? fieldMappings) === undefined) return {}
  const stored = await context.store.pipes.secrets(pipe.id)
  const { spec, secrets, changed } = accept(planPatch(pipe.spec, secretPresence(stored), body))
  if (!changed) return {}
  requireUsable(service)
  return requireSound(context, { serviceId: service.id, spec, secrets: mergeSecrets(stored, secrets) })
}

/** The fields of the records of a source, for the columns and mappings of a pipe to come; with these, the rows too. */
export async function discoverSchema(
  { store, pipeChecks }: ControlContext,
  caller: Caller,
  serviceId: string,
  body: DiscoveryInput,
): Promise<DiscoveredSchema> {
  const service = await loadService(store, caller, serviceId)
  const { spec, secrets } = accept(planDiscovery(body))
  requireUsable(service)
  if (pipeChecks === null) {
    const { state: serviceState } = service.status
    const message = `no pipe runs here, so no record can be read. Current state: ${serviceState}`
    throw new AppError('FAILED_DEPENDENCY', message, { extra: { serviceState, canWake: false } })
  }
  const found = await pipeChecks.discover({ serviceId, spec, secrets }).catch(cannotCheck)
  if ('issues' in found) throw invalid(found.issues)
  return found
}

export function accept<T>(planned: Planned<T>): T {
  if (!planned.ok) throw invalid(planned.issues)
  return planned.plan
}

/** Gives the tables that the pipe will make, where the check has seen them. */
async function requireSound(
  { pipeChecks }: ControlContext,
  pipe: CheckedPipe,
): Promise<Pick<PipeCheck, 'tables'>> {
  const { validateSamples: sample } = pipe.spec.writeOnly
  const { issues, ...tables } = (await pipeChecks?.check(pipe, { sample }).catch(cannotCheck)) ?? {
    issues: [],
  }
  if (issues.length > 0) throw invalid(issues)
  return tables
}

/** What is wrong with a pipe is a result of the check; here the check itself has failed. */
function cannotCheck(error: unknown): never {
  throw new AppError('UNAVAILABLE', 'the source cannot be checked at the moment', { cause: error })
}

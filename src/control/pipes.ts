import type { ActivityType } from '../domain/activity/types.ts'
import { AppError, invalid, notFound } from '../domain/errors.ts'
import { commandsOfPipe, needsService, type PipeCommands } from '../domain/pipe/commands.ts'
import type { PipeCreateInput, PipePatchInput, ScalingInput, SettingsInput } from '../domain/pipe/input.ts'
import { planPatch, planScaling, planSettings } from '../domain/pipe/patch.ts'
import { mergeSecrets, type SecretsPatch, secretPresence } from '../domain/pipe/secrets.ts'
import { applyCommand } from '../domain/pipe/transitions.ts'
import type { PipeCommand, PipeSecrets, PipeSettings } from '../domain/pipe/types.ts'
import { type PipeView, viewPipe, viewStats } from '../domain/pipe/view.ts'
import type { ServiceRecord } from '../domain/service/types.ts'
import { newId } from '../lib/ids.ts'
import type { Page, PipeRecord, Repositories } from '../store/store.ts'
import {
  type Caller,
  type ControlContext,
  loadOrganization,
  loadService,
  recordActivity,
  requireUsable,
} from './context.ts'
import { type PageOf, type PageQuery, readPage } from './paging.ts'
import { accept, requireSoundChange, requireSoundPipe } from './pipe-checks.ts'
import { addPipeSources } from './pipe-source.ts'

/** The path of every request about one pipe. */
export interface PipeRef {
  serviceId: string
  pipeId: string
}

export async function createPipe(
  context: ControlContext,
  caller: Caller,
  serviceId: string,
  body: PipeCreateInput,
  id = newId(),
): Promise<PipeAnswer> {
  const { store, clock } = context
  const { spec, secrets, tables } = await requireSoundPipe(context, caller, serviceId, body)
  const created = await store.transaction(async (tx) => {
    // Locked for update: a pipe's sources look at all sources of the organization.
    await loadOrganization(tx, caller, 'update')
    const service = await loadService(tx, caller, serviceId)
    requireUsable(service)
    const nowMs = clock.now()
    const record: PipeRecord = {
      id,
      organizationId: service.organizationId,
      serviceId: service.id,
      generation: 1,
      spec,
      status: {
        state: 'Provisioning',
        reason: 'the pipe was just created',
        since: nowMs,
        observedGeneration: 0,
      },
      deleting: false,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    }
    await tx.pipes.insert(record, secrets)
    await recordActivity(tx, clock, caller, {
      type: 'pipe_create',
      serviceId,
      resourceId: record.id,
      after: viewPipe(record),
    })
    await addPipeSources(tx, clock, caller, record, tables)
    return { pipe: record, service }
  })
  context.wake('pipe')
  return answerPipe(context, created)
}

export async function getPipe(context: ControlContext, caller: Caller, ref: PipeRef): Promise<PipeAnswer> {
  return answerPipe(context, await loadPipe(context.store, caller, ref))
}

export type PipeAnswer = PipeView & PipeCommands

/** A pipe in an answer: with what is of the moment, which activities do not record. */
export function answerPipe(
  { pipeStatus }: ControlContext,
  { pipe, service }: { pipe: PipeRecord; service: Pick<ServiceRecord, 'status'> },
): PipeAnswer {
  const status = pipeStatus(pipe.id)
  const answer = { ...viewPipe(pipe), ...commandsOfPipe(pipe, service.status.state) }
  return status ? { ...answer, stats: viewStats(status) } : answer
}

export async function listPipes(
  context: ControlContext,
  caller: Caller,
  serviceId: string,
  query: PageQuery,
): Promise<PageOf<PipeAnswer>> {
  const service = await loadService(context.store, caller, serviceId)
  const page = await readPage(
    query,
    (wanted) => readLive((page) => context.store.pipes.list(serviceId, page), wanted),
    (pipe) => pipe.createdAtMs,
  )
  return { ...page, items: page.items.map((pipe) => answerPipe(context, { pipe, service })) }
}

export async function updatePipe(
  context: ControlContext,
  caller: Caller,
  ref: PipeRef,
  body: PipePatchInput,
): Promise<PipeAnswer> {
  const { tables } = await requireSoundChange(context, await loadPipe(context.store, caller, ref), body)
  const lock = tables === undefined ? 'share' : 'update'
  return changePipe({ ...context, lock }, caller, ref, 'pipe_update', async (pipe, service, tx) => {
    const stored = await tx.pipes.secrets(pipe.id)
    const { spec, secrets, changed } = accept(planPatch(pipe.spec, secretPresence(stored), body))
    if (!changed) return null
    requireUsable(service)
    const known = new Set(pipe.spec.source.postgres?.tableMappings.map((each) => each.targetTable))
    const added = tables?.filter(({ table }) => !known.has(table)) ?? []
    await addPipeSources(tx, context.clock, caller, pipe, added)
    return { pipe: { ...pipe, spec }, ...secretsChange(stored, secrets) }
  })
}

/** Start, stop and resync. The answer shows the next state at once; the loop carries the command out. */
export function commandPipe(
  context: ControlContext,
  caller: Caller,
  ref: PipeRef,
  command: PipeCommand,
): Promise<PipeAnswer> {
  return changePipe(context, caller, ref, `pipe_${command}`, async (pipe, service) => {
    const result = applyCommand(pipe.spec, pipe.status, command)
    if (result.outcome === 'invalid') throw invalid(result.issues)
    if (result.outcome === 'conflict') {
      const { message, currentState, allowedStates } = result
      throw new AppError('CONFLICT', `${message} Current state: ${currentState}`, {
        extra: { currentState, allowedStates },
      })
    }
    if (!result.changed) return null
    if (needsService(command)) requireUsable(service)
    const { spec, state, reason } = result
    return { pipe: { ...pipe, spec, status: { ...pipe.status, state, reason, since: context.clock.now() } } }
  })
}

export function scalePipe(
  context: ControlContext,
  caller: Caller,
  ref: PipeRef,
  body: ScalingInput,
): Promise<PipeAnswer> {
  return changePipe(context, caller, ref, 'pipe_update_scaling', async (pipe) => ({
    pipe: { ...pipe, spec: accept(planScaling(pipe.spec, body)) },
  }))
}

export async function getPipeSettings(
  context: ControlContext,
  caller: Caller,
  ref: PipeRef,
): Promise<PipeSettings> {
  return (await getPipe(context, caller, ref)).settings
}

export async function updatePipeSettings(
  context: ControlContext,
  caller: Caller,
  ref: PipeRef,
  body: SettingsInput,
): Promise<PipeSettings> {
  const view = await changePipe(context, caller, ref, 'pipe_update_settings', async (pipe) => ({
    pipe: { ...pipe, spec: accept(planSettings(pipe.spec, body)) },
  }))
  return view.settings
}

/** Marks a pipe for deletion; the loop ends it and removes the record. Its table stays. */
export function deletePipe(context: ControlContext, caller: Caller, ref: PipeRef): Promise<PipeAnswer> {
  return changePipe(context, caller, ref, 'pipe_delete', async (pipe) => {
    const command = applyCommand(pipe.spec, pipe.status, 'stop')
    const state = command.outcome === 'accepted' ? command.state : pipe.status.state
    const status = { ...pipe.status, state, reason: 'deletion was requested', since: context.clock.now() }
    return { pipe: { ...pipe, status, deleting: true } }
  })
}

type PipeChange = { pipe: PipeRecord; secrets?: PipeSecrets } | null

/** The only function that changes a pipe's intent. A plan that changes nothing, or is null, writes nothing. */
async function changePipe(
  context: ControlContext & { lock?: 'share' | 'update' },
  caller: Caller,
  ref: PipeRef,
  type: ActivityType,
  plan: (pipe: PipeRecord, service: ServiceRecord, tx: Repositories) => Promise<PipeChange>,
): Promise<PipeAnswer> {
  const { store, clock, wake, lock = 'share' } = context
  let isChanged = false
  const result = await store.transaction(async (tx) => {
    await loadOrganization(tx, caller, lock)
    const { pipe, service } = await loadPipe(tx, caller, ref)
    const change = await plan(pipe, service, tx)
    if (change === null || (JSON.stringify(change.pipe) === JSON.stringify(pipe) && !change.secrets))
      return { pipe, service }
    const saved = await tx.pipes.saveIntent({ ...change.pipe, updatedAtMs: clock.now() }, change.secrets)
    const credentials = change.secrets ? { credentials: 'changed' } : {}
    await recordActivity(tx, clock, caller, {
      type,
      serviceId: pipe.serviceId,
      resourceId: pipe.id,
      before: viewPipe(pipe),
      after: { ...viewPipe(saved), ...credentials },
    })
    isChanged = true
    return { pipe: saved, service }
  })
  if (isChanged) wake('pipe')
  return answerPipe(context, result)
}

/** A pipe that is being deleted does not exist for callers. */
export async function loadPipe(repositories: Repositories, caller: Caller, { serviceId, pipeId }: PipeRef) {
  const service = await loadService(repositories, caller, serviceId)
  const pipe = await repositories.pipes.get(serviceId, pipeId)
  if (!pipe || pipe.deleting) throw notFound('pipe')
  return { service, pipe }
}

/** The page without the pipes that are being deleted; filling it may take several reads. */
export async function readLive(
  read: (page: Page) => Promise<PipeRecord[]>,
  page: Page,
): Promise<PipeRecord[]> {
  const found: PipeRecord[] = []
  for (let { after } = page; ; ) {
    const pipes = await read({ ...page, ...(after ? { after } : {}) })
    found.push(...pipes.filter((pipe) => !pipe.deleting))
    const last = pipes.at(-1)
    const { limit = Number.POSITIVE_INFINITY } = page
    if (!last || pipes.length < limit || found.length >= limit) return found.slice(0, limit)
    after = { atMs: last.createdAtMs, id: last.id }
  }
}

function secretsChange(stored: PipeSecrets, patch: SecretsPatch): { secrets?: PipeSecrets } {
  return Object.keys(patch).length > 0 ? { secrets: mergeSecrets(stored, patch) } : {}
}

import { AppError } from '../domain/errors.ts'
import { viewLane } from '../domain/pipe/lane.ts'
import { viewRejected } from '../domain/pipe/rejected.ts'
import { RejectedUnreadable } from '../pipes/rejected.ts'
import type { Page } from '../store/store.ts'
import { type Caller, type ControlContext, requireUsable } from './context.ts'
import { type PageOf, type PageQuery, readPage } from './paging.ts'
import { loadPipe, type PipeRef } from './pipes.ts'

/** Where the parts of a pipe's source were read to. Reading it wakes nothing. */
export async function listLanes(
  { store, pipeLanes }: ControlContext,
  caller: Caller,
  ref: PipeRef,
  query: PageQuery,
): Promise<PageOf<ReturnType<typeof viewLane>>> {
  await loadPipe(store, caller, ref)
  const live = new Map(pipeLanes(ref.pipeId).map((lane) => [lane.name, lane]))
  const places = await store.pipeJournal.lanePlaces(ref.pipeId)
  const inOrder = places.toSorted((one, other) => byNumber.compare(one.name, other.name))
  const lanes = inOrder.map((lane, index) => ({ id: '0', index, ...viewLane(lane, live.get(lane.name)) }))
  const read = async ({ after, limit }: Page) =>
    lanes.slice(after === undefined ? 0 : after.atMs + 1).slice(0, limit)
  const page = await readPage(query, read, ({ index }) => index)
  return { ...page, items: page.items.map(({ id: _, index: __, ...lane }) => lane) }
}

/** The order of `orders/2` and `orders/10` is that of their numbers. */
const byNumber = new Intl.Collator('en', { numeric: true })

/** What the pipe could not put into its table, newest first. Wakes an idle service. */
export async function listRejected(
  context: ControlContext,
  caller: Caller,
  ref: PipeRef,
  query: PageQuery,
  signal: AbortSignal,
): Promise<PageOf<ReturnType<typeof viewRejected>>> {
  const { pipe, rejected } = await loadRejecting(context, caller, ref)
  const read = ({ after, limit = defaultLimit }: Page) =>
    rejected.list(pipe, { limit, signal, ...(after && { after }) }).catch(unreadable)
  const page = await readPage({ limit: defaultLimit, ...query }, read, ({ atMs }) => atMs)
  return { ...page, items: page.items.map(viewRejected) }
}

const defaultLimit = 100

export async function listRejectedReasons(
  context: ControlContext,
  caller: Caller,
  ref: PipeRef,
  signal: AbortSignal,
) {
  const { pipe, rejected } = await loadRejecting(context, caller, ref)
  const reasons = await rejected.reasons(pipe, signal).catch(unreadable)
  return reasons.map(({ firstAtMs, lastAtMs, ...reason }) => ({
    ...{ ...reason, firstAt: new Date(firstAtMs).toISOString(), lastAt: new Date(lastAtMs).toISOString() },
  }))
}

async function loadRejecting({ store, rejectedRecords }: ControlContext, caller: Caller, ref: PipeRef) {
  const { pipe, service } = await loadPipe(store, caller, ref)
  requireUsable(service)
  if (rejectedRecords !== null) return { pipe, rejected: rejectedRecords }
  const { state: serviceState } = service.status
  const message = `no pipe runs here, so no record can be read. Current state: ${serviceState}`
  throw new AppError('FAILED_DEPENDENCY', message, { extra: { serviceState, canWake: false } })
}

function unreadable(error: unknown): never {
  if (!(error instanceof RejectedUnreadable)) throw error
  throw new AppError('UNAVAILABLE', 'the service cannot be reached, or did not wake in time', {
    ...{ detail: error.message, cause: error },
  })
}

import type { Activity } from '../domain/activity/types.ts'
import { notFound } from '../domain/errors.ts'
import type { Caller, ControlContext } from './context.ts'
import { type PageOf, type PageQuery, readPage } from './paging.ts'

export type ActivityView = ReturnType<typeof viewActivity>

export async function listActivities(
  { store }: ControlContext,
  caller: Caller,
  query: PageQuery & { from_date?: string; to_date?: string },
): Promise<PageOf<ActivityView>> {
  const range = {
    ...(query.from_date === undefined ? {} : { fromMs: Date.parse(query.from_date) }),
    ...(query.to_date === undefined ? {} : { toMs: endOf(query.to_date) }),
  }
  const read = (page: object) => store.activities.list(caller.key.organizationId, { ...page, ...range })
  // The trail only grows: a request without a limit gets the newest thousand and a link to the next page.
  const page = await readPage({ limit: 1000, ...query }, read, (activity) => activity.createdAtMs)
  return { ...page, items: page.items.map(viewActivity) }
}

export async function getActivity(
  { store }: ControlContext,
  caller: Caller,
  id: string,
): Promise<ActivityView> {
  const activity = await store.activities.get(caller.key.organizationId, id)
  if (!activity) throw notFound('activity')
  return viewActivity(activity)
}

/** A date without a time includes all of that day. */
function endOf(date: string): number {
  const dayMs = 24 * 60 * 60 * 1000
  return date.includes('T') ? Date.parse(date) : Date.parse(date) + dayMs - 1
}

function viewActivity({ createdAtMs, serviceId, ...activity }: Activity) {
  return { ...activity, serviceId: serviceId ?? '', createdAt: new Date(createdAtMs).toISOString() }
}

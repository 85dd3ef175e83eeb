import { useResource } from '../../api/resource.ts'
import { liveOf } from '../../frame/live.ts'
import { Page } from '../../frame/page.tsx'
import { ActivityTrail, newestActivities } from './activity-trail.tsx'

/** The audit trail: what happened, to what, by whom and why. */
export function ActivityPage() {
  const newest = useResource('activities.list', newestActivities)
  return (
    <Page
      title="Activity"
      live={liveOf(newest)}
      lead="What happened, by whom and why. Nothing in it can be changed."
    >
      <ActivityTrail />
    </Page>
  )
}

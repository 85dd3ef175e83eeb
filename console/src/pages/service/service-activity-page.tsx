import { ActivityTrail } from '../activity/activity-trail.tsx'
import { ServiceFrame } from './service-frame.tsx'

/** What happened to the service, by whom and why. */
export function ServiceActivityPage({ params: { serviceId } }: { params: { serviceId: string } }) {
  return (
    <ServiceFrame serviceId={serviceId} tab="Activity">
      {() => <ActivityTrail serviceId={serviceId} />}
    </ServiceFrame>
  )
}

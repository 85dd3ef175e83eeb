import { may } from '../../api/session.ts'
import { Notice } from '../../kit/notice.tsx'
import { ActivityTrail } from '../activity/activity-trail.tsx'
import { ServiceFrame } from './service-frame.tsx'

/** What happened to the service, by whom and why. */
export function ServiceActivityPage({ params: { serviceId } }: { params: { serviceId: string } }) {
  return (
    <ServiceFrame serviceId={serviceId} tab="Activity">
      {() =>
        may('activities:view') ? (
          <ActivityTrail serviceId={serviceId} />
        ) : (
          <Notice hue="rest">This key is for some services only: it does not see the activity.</Notice>
        )
      }
    </ServiceFrame>
  )
}

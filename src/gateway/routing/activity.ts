import { type EndpointActivity, noActivity } from '../../domain/service/endpoint.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Exchange } from '../exchange/exchange.ts'

/** The counts of each service's endpoint, created at their first use. */
export interface Activities {
  of(serviceId: string): EndpointActivity
  forget(serviceId: string): void
}

export function createActivities(): Activities {
  const known = new Map<string, EndpointActivity>()
  return {
    of(serviceId) {
      let activity = known.get(serviceId)
      if (!activity) {
        activity = { ...noActivity }
        known.set(serviceId, activity)
      }
      return activity
    },
    forget: (serviceId) => void known.delete(serviceId),
  }
}

/** Counts a query as running until the client has its answer or is gone. */
export function countQuery(exchange: Exchange, activity: EndpointActivity, clock: Clock): void {
  activity.inFlight += 1
  activity.queries += 1
  exchange.onClosed = () => {
    activity.inFlight -= 1
    activity.lastQueryEndedAtMs = clock.now()
    activity.receivedBytes += exchange.body.receivedBytes
    activity.sentBytes += exchange.sentBytes
    if (exchange.isGone || exchange.response.statusCode >= 500) activity.failed += 1
  }
}

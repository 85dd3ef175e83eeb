import type { Clock } from '../lib/clock.ts'
import type { Exchange } from './exchange.ts'

/** What a service's endpoint does and did since it was opened; for the idle decision and for metrics. */
export interface EndpointActivity {
  /** Queries of users that are being answered, waiting ones included; also those that another service sent here. */
  inFlight: number
  /** Of these, how many wait for the service to come up. */
  held: number
  /** null = none since the gateway began. */
  lastQueryEndedAtMs: number | null
  queries: number
  /** Answers with a status of 500 and more, and broken ones. */
  failed: number
  /** Queries that had to wait for the service. */
  coldStarts: number
  /** Attempts after the first, on another replica. */
  retries: number
  /** Turned away before they became queries: address, password. */
  refused: number
  receivedBytes: number
  sentBytes: number
}

export const newActivity = (): EndpointActivity => ({
  inFlight: 0,
  held: 0,
  lastQueryEndedAtMs: null,
  queries: 0,
  failed: 0,
  coldStarts: 0,
  retries: 0,
  refused: 0,
  receivedBytes: 0,
  sentBytes: 0,
})

/** Counts a query from now until the client has its answer or is gone. */
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

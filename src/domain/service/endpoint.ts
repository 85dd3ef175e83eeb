import type { ServiceState } from './types.ts'

/** What an endpoint needs to know about its service before it admits a query. */
export interface EndpointAccess {
  serviceId: string
  warehouseId: string
  isPrimary: boolean
  /** The service whose first replica writes, which may be this one; '' = the warehouse has none any more. */
  primaryServiceId: string
  state: ServiceState
  power: 'on' | 'off'
  asleep: boolean
  readOnly: boolean
  ipAccessList: readonly { source: string }[]
}

/** Counts of a service's endpoint, now and since it was opened; for the idle decision and for metrics. */
export interface EndpointActivity {
  /**
   * User queries that are being answered, held ones included; also those that another service forwarded here.
   */
  inFlight: number
  /** How many of the queries in flight are held until the service is up. */
  held: number
  /** Statements of the product that run now and do not count as queries. */
  background: number
  /** null = none since the gateway started. */
  lastQueryEndedAtMs: number | null
  queries: number
  /** Answers with a status of 500 or more, and answers that broke off. */
  failed: number
  /** Queries that had to wait for the service. */
  coldStarts: number
  /** Attempts after the first, on another replica. */
  retries: number
  /** Requests rejected for their address or password, before they became queries. */
  refused: number
  receivedBytes: number
  sentBytes: number
}

export const noActivity: Readonly<EndpointActivity> = {
  inFlight: 0,
  held: 0,
  background: 0,
  lastQueryEndedAtMs: null,
  queries: 0,
  failed: 0,
  coldStarts: 0,
  retries: 0,
  refused: 0,
  receivedBytes: 0,
  sentBytes: 0,
}

import type { ServiceState } from './types.ts'

/** What an endpoint must know of its service before it lets a query in. */
export interface EndpointAccess {
  serviceId: string
  warehouseId: string
  isPrimary: boolean
  /** The service whose first replica writes, which may be this one; '' when the warehouse has lost it. */
  primaryServiceId: string
  state: ServiceState
  power: 'on' | 'off'
  asleep: boolean
  readOnly: boolean
  ipAccessList: readonly { source: string }[]
}

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

export const noActivity: Readonly<EndpointActivity> = {
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
}

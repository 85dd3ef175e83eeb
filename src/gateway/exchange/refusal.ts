/** An answer of the gateway in the engine's place, in the form of a ClickHouse error. */
export interface Refusal {
  status: number
  code: number
  name: string
  message: string
  headers?: Record<string, string>
}

export const refusalText = ({ code, name, message }: Refusal): string =>
  `Code: ${code}. DB::Exception: ${message}. (${name})\n`

/** The codes and names are ClickHouse's, so that clients handle them like the engine's own. */
export const refusals = {
  loginFailed: (message: string, isBrowserAsked: boolean): Refusal => ({
    status: 401,
    code: 516,
    name: 'AUTHENTICATION_FAILED',
    message,
    // A page that logs in by itself sends `Authorization: never`, so that the browser does not prompt as well.
    ...(isBrowserAsked
      ? { headers: { 'WWW-Authenticate': 'Basic realm="ClickHouse server HTTP API"' } }
      : {}),
  }),
  tooManyFailedLogins: (retryAfterMs: number): Refusal => ({
    status: 429,
    code: 516,
    name: 'AUTHENTICATION_FAILED',
    message: 'Too many failed logins from this address, try again later',
    headers: retryAfter(retryAfterMs),
  }),
  addressNotAllowed: (address: string): Refusal => ({
    status: 403,
    code: 195,
    name: 'IP_ADDRESS_NOT_ALLOWED',
    message: `The service does not take connections from ${address}: add it to the service's IP access list`,
  }),
  originNotAllowed: (origin: string): Refusal => ({
    status: 403,
    code: 497,
    name: 'ACCESS_DENIED',
    message: `A page of ${origin.slice(0, 256)} may not send statements here: the server's GRANARY_ENDPOINT_ORIGINS does not name it`,
  }),
  gone: (): Refusal => ({
    status: 404,
    code: 279,
    name: 'ALL_CONNECTION_TRIES_FAILED',
    message: 'The service does not exist, or is being deleted',
  }),
  /** Retrying does not help until someone changes the service. */
  unavailable: (message: string): Refusal => ({
    status: 503,
    code: 279,
    name: 'ALL_CONNECTION_TRIES_FAILED',
    message,
  }),
  notYet: (message: string, retryAfterMs: number): Refusal => ({
    status: 503,
    code: 279,
    name: 'ALL_CONNECTION_TRIES_FAILED',
    message,
    headers: retryAfter(retryAfterMs),
  }),
  tooManyWaiting: (): Refusal => ({
    status: 503,
    code: 202,
    name: 'TOO_MANY_SIMULTANEOUS_QUERIES',
    message: 'Too many requests wait for the service to come up',
    headers: retryAfter(1_000),
  }),
  bodyStalled: (afterMs: number): Refusal => ({
    status: 408,
    code: 209,
    name: 'SOCKET_TIMEOUT',
    message: `Nothing of the request's body came for ${afterMs / 1000} seconds, the request was given up`,
  }),
  lostRead: () => lost('The replicas that ran the query went away before they answered'),
  lostWrite: () =>
    lost(
      'The replica went away while it ran the statement: whether it took effect is not known, and it was not sent again',
    ),
  nobodyAsked: () => lost('No replica could be asked'),
}

const lost = (message: string): Refusal => ({ status: 502, code: 210, name: 'NETWORK_ERROR', message })

const retryAfter = (ms: number) => ({ 'Retry-After': String(Math.max(1, Math.ceil(ms / 1000))) })

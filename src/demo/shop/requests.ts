import { type Choices, choices, createRandom, type Random } from './random.ts'
import { type Incident, incidentAt, requestsIn, type ServiceName, type Shop, slotMs } from './traffic.ts'

/** Columns of the table of requests. */
export const requestColumns = [
  { name: 'timestamp', type: 'DateTime64(3)' },
  { name: 'level', type: 'LowCardinality(String)' },
  { name: 'service', type: 'LowCardinality(String)' },
  { name: 'host', type: 'LowCardinality(String)' },
  { name: 'method', type: 'LowCardinality(String)' },
  { name: 'path', type: 'String' },
  { name: 'status', type: 'UInt16' },
  { name: 'duration_ms', type: 'Float32' },
  { name: 'bytes', type: 'UInt32' },
  { name: 'country', type: 'LowCardinality(String)' },
  { name: 'user_id', type: 'UInt32' },
  { name: 'amount', type: 'Float32' },
  { name: 'message', type: 'String' },
] as const

interface Endpoint {
  service: ServiceName
  method: string
  path(random: Random): string
  /** Half of the answers take less. */
  medianMs: number
  /** How far answers scatter: the standard deviation of their logarithm. */
  spread: number
  bytes: number
}

const product = (random: Random) => Math.floor(3_000 * random.next() ** 2.2) + 1
const categories = choices([
  ['bread', 9],
  ['flour', 7],
  ['oats', 6],
  ['tools', 3],
  ['gifts', 4],
] as const)
const words = choices([
  ['rye+flour', 9],
  ['oat+flakes', 7],
  ['sourdough', 6],
  ['spelt', 5],
  ['barley', 3],
  ['mill', 3],
  ['bannetton', 1],
] as const)

const endpoint = (
  service: ServiceName,
  method: string,
  path: Endpoint['path'],
  numbers: Pick<Endpoint, 'medianMs' | 'spread' | 'bytes'>,
): Endpoint => ({ service, method, path, ...numbers })

const endpoints: Choices<Endpoint> = choices([
  [endpoint('storefront', 'GET', () => '/', { medianMs: 38, spread: 0.45, bytes: 42_000 }), 13],
  [
    endpoint('storefront', 'GET', (random) => `/products/${product(random)}`, {
      ...{ medianMs: 52, spread: 0.5, bytes: 31_000 },
    }),
    24,
  ],
  [
    endpoint('storefront', 'GET', (random) => `/categories/${random.pick(categories)}`, {
      ...{ medianMs: 64, spread: 0.5, bytes: 36_000 },
    }),
    9,
  ],
  [
    endpoint('search', 'GET', (random) => `/search?q=${random.pick(words)}`, {
      ...{ medianMs: 88, spread: 0.75, bytes: 12_000 },
    }),
    16,
  ],
  [
    endpoint('recommendations', 'GET', () => '/recommendations', { medianMs: 27, spread: 0.6, bytes: 4_200 }),
    20,
  ],
  [endpoint('cart', 'POST', () => '/cart/items', { medianMs: 41, spread: 0.5, bytes: 900 }), 9],
  [endpoint('cart', 'GET', () => '/cart', { medianMs: 24, spread: 0.4, bytes: 2_600 }), 4],
  [endpoint('checkout', 'POST', () => '/checkout', { medianMs: 210, spread: 0.55, bytes: 1_400 }), 3],
  [endpoint('payments', 'POST', () => '/payments', { medianMs: 340, spread: 0.6, bytes: 700 }), 2.6],
])

const countries = choices([
  ['US', 22],
  ['DE', 19],
  ['GB', 12],
  ['FR', 9],
  ['NL', 7],
  ['SE', 5],
  ['PL', 5],
  ['ES', 4.5],
  ['IT', 4],
  ['CA', 3.5],
  ['AT', 3],
  ['CH', 2.5],
  ['JP', 2],
  ['AU', 1.5],
] as const)

const hosts: Record<ServiceName, number> = {
  ...{ storefront: 4, search: 2, recommendations: 2, cart: 2, checkout: 2, payments: 2 },
}

const failures: Record<ServiceName, readonly string[]> = {
  storefront: ['template product.html failed: price is missing', 'upstream search did not answer in time'],
  search: ['index shard 2 is not available', 'query cancelled after 2000 ms'],
  recommendations: ['model is being loaded, no answer yet', 'feature store did not answer in time'],
  cart: ['could not lock the cart, it changed meanwhile', 'connection pool exhausted: 32 of 32 in use'],
  checkout: ['deadlock found, transaction was rolled back', 'payments did not answer in time'],
  payments: [
    'payment provider timed out after 3000 ms',
    'payment provider answered 502',
    'connection pool exhausted: 32 of 32 in use',
  ],
}

/** The requests of a slot as lines of JSON. */
export function requestLines(shop: Shop, slot: number): string {
  const count = requestsIn(shop, slot)
  if (count === 0) return ''
  const random = createRandom(shop.seed, 3, slot)
  const startMs = slot * slotMs
  const incident = incidentAt(shop, startMs)
  // A slot is ten seconds long: the times of its requests differ in their last digits only.
  const shared = new Date(startMs).toISOString().slice(0, 18)
  let lines = ''
  for (let index = 0; index < count; index++) {
    const digits = String(Math.floor(((index + random.next()) / count) * slotMs) + slotMs)
    lines += requestLine(random, `${shared}${digits[1]}.${digits.slice(2)}Z`, incident)
  }
  return lines
}

function requestLine(random: Random, time: string, incident: Incident | null): string {
  const { service, method, path, medianMs, spread, bytes } = random.pick(endpoints)
  // Checkout waits for payments; the others only for themselves.
  const isHit =
    incident !== null &&
    (incident.service === service || (incident.service === 'payments' && service === 'checkout'))
  const trouble = isHit ? incident.strength : 0
  const status = statusOf(random, method, trouble)
  let duration = medianMs * Math.exp(spread * random.normal()) * (1 + 7 * trouble * random.next())
  // One answer of two hundred is far out, as answers are.
  if (random.next() < 0.005) duration *= 3 + 5 / (random.next() + 0.15)
  if (status >= 500) duration = Math.max(duration, status === 504 ? 3_000 : duration * 1.6)
  const isOrder = service === 'checkout' && status < 300
  const amount = isOrder ? Math.round(100 * Math.exp(3.6 + 0.65 * random.normal())) / 100 : 0
  const user = random.next() < 0.38 ? 0 : 1 + Math.floor(60_000 * random.next() ** 2.6)
  const host = `${service}-${1 + Math.floor(random.next() * hosts[service])}`
  const at = path(random)
  const isSlow = duration > 6 * medianMs
  const level = status >= 500 ? 'error' : status >= 400 || isSlow ? 'warn' : 'info'
  const ms = Math.round(duration * 10) / 10
  const message = messageOf({ random, service, method, at, status, ms, isSlow, amount, user })
  const size = status >= 300 ? 180 : Math.floor(bytes * (0.6 + 0.8 * random.next()))
  const country = random.pick(countries)
  return `{"timestamp":"${time}","level":"${level}","service":"${service}","host":"${host}","method":"${method}","path":"${at}","status":${status},"duration_ms":${ms},"bytes":${size},"country":"${country}","user_id":${user},"amount":${amount},"message":"${message}"}\n`
}

function statusOf(random: Random, method: string, trouble: number): number {
  const at = random.next()
  if (at < 0.0016 + 0.34 * trouble) return at < 0.0006 + 0.2 * trouble ? 504 : random.next() < 0.6 ? 500 : 503
  const ordinary = random.next()
  if (method === 'POST') return ordinary < 0.012 ? 422 : ordinary < 0.018 ? 409 : 201
  if (ordinary < 0.013) return 404
  if (ordinary < 0.016) return 429
  return ordinary < 0.12 ? 304 : 200
}

interface Told {
  random: Random
  service: ServiceName
  method: string
  at: string
  status: number
  ms: number
  isSlow: boolean
  amount: number
  user: number
}

function messageOf({ random, service, method, at, status, ms, isSlow, amount, user }: Told): string {
  if (status >= 500) {
    const reasons = failures[service]
    return `${method} ${at} failed: ${reasons[Math.floor(random.next() * reasons.length)]}`
  }
  if (status === 429) return `too many requests from ${user === 0 ? 'a guest' : `user ${user}`}`
  if (status === 404) return `not found: ${at}`
  if (status >= 400) return `${method} ${at} refused: the cart has changed`
  if (isSlow) return `slow answer: ${method} ${at} took ${ms} ms`
  if (amount > 0)
    return `order of ${amount.toFixed(2)} EUR placed by ${user === 0 ? 'a guest' : `user ${user}`}`
  return `${method} ${at} ${status}`
}

import { createRandom } from './random.ts'
import { dayMs, incidentAt, rateAt, type ServiceName, type Shop, serviceNames } from './traffic.ts'

/** Columns of the table of metrics, named as OpenTelemetry's exporter names them. */
export const metricColumns = [
  { name: 'TimeUnix', type: 'DateTime64(3)' },
  { name: 'MetricName', type: 'LowCardinality(String)' },
  { name: 'ServiceName', type: 'LowCardinality(String)' },
  { name: 'Attributes', type: 'Map(LowCardinality(String), String)' },
  { name: 'Value', type: 'Float64' },
  { name: 'ExplicitBounds', type: 'Array(Float64)' },
  { name: 'BucketCounts', type: 'Array(UInt64)' },
] as const

/** The rows of a sample: four metrics of each service. */
export const rowsPerSample = 4 * serviceNames.length

/** How often metrics are sampled: a small shop, as tests have it, needs few. */
export const sampleMs = ({ weeklyRequests }: Shop): number => (weeklyRequests < 500_000 ? 600_000 : 60_000)

/** The share of requests that each service answers, and their median time. */
const profiles: Record<ServiceName, { share: number; medianMs: number; gib: number }> = {
  storefront: { share: 0.46, medianMs: 50, gib: 1.4 },
  search: { share: 0.16, medianMs: 88, gib: 3.1 },
  recommendations: { share: 0.2, medianMs: 27, gib: 2.2 },
  cart: { share: 0.13, medianMs: 36, gib: 0.7 },
  checkout: { share: 0.03, medianMs: 210, gib: 0.9 },
  payments: { share: 0.026, medianMs: 340, gib: 0.6 },
}

const bounds = [10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000]

/** The samples that end at a time, as lines of JSON. */
export function metricLines(shop: Shop, timeMs: number): string {
  const time = new Date(timeMs).toISOString()
  const stepMs = sampleMs(shop)
  const rate = rateAt(shop, timeMs)
  const load = rate / (shop.weeklyRequests / 604_800)
  const incident = incidentAt(shop, timeMs)
  let lines = ''
  for (const [index, service] of serviceNames.entries()) {
    const random = createRandom(shop.seed, 4, timeMs / 1000, index)
    const trouble = incident?.service === service ? incident.strength : 0
    const { share, medianMs, gib } = profiles[service]
    const line = (name: string, value: number, more = '') => {
      lines += `{"TimeUnix":"${time}","MetricName":"${name}","ServiceName":"${service}","Attributes":{"region":"eu-central"},"Value":${value}${more}}\n`
    }
    const cpu = 0.07 + 0.24 * load + 0.42 * trouble + 0.025 * random.normal()
    line('process.cpu.utilization', Math.min(0.99, Math.max(0.01, cpu)))
    // Memory grows until the nightly deployment.
    const sinceDeployment = (timeMs % dayMs) / dayMs
    line(
      'process.memory.usage',
      Math.round(gib * 2 ** 30 * (0.7 + 0.3 * sinceDeployment + 0.01 * random.normal())),
    )
    const requests = Math.max(0, Math.round(rate * share * (stepMs / 1000) * (1 + 0.05 * random.normal())))
    line('http.server.requests', requests)
    const counts = countsOf(requests, medianMs * (1 + 4 * trouble))
    line('http.server.duration', 0, `,"ExplicitBounds":[${bounds}],"BucketCounts":[${counts}]`)
  }
  return lines
}

/** Counts of a log-normal distribution, one more than there are bounds. */
function countsOf(requests: number, medianMs: number): number[] {
  const below = bounds.map((bound) => requests / (1 + Math.exp(-2.7 * Math.log(bound / medianMs))))
  const sums = [...below.map(Math.round), requests]
  return sums.map((sum, index) => sum - (sums[index - 1] ?? 0))
}

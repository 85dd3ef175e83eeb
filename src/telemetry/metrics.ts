import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client'

/**
 * How often the lag of the event loop is sampled; an idle loop shows this as its lag. The default of 10 ms wakes the
 * process a hundred times a second, which is most of what a control plane with nothing to do costs.
 */
const eventLoopTickMs = 100

/** A gauge that is read at each scrape; what `read` no longer tells is no longer shown. */
export interface GaugeSpec {
  name: string
  help: string
  /** The labels that each value has. */
  labels: readonly string[]
  read(): { labels: Record<string, string>; value: number }[]
}

/** Every metric of the control plane is declared here, so that it exists, at zero, from the first scrape on. */
export function createMetrics(input: { version: string; operations: readonly string[] }) {
  const registry = new Registry()
  collectDefaultMetrics({
    register: registry,
    prefix: 'granary_',
    eventLoopMonitoringPrecision: eventLoopTickMs,
  })
  new Gauge({
    name: 'granary_info',
    help: 'The version that runs; the value is always 1.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: input.version }, 1)
  const byOperation = new Map(input.operations.map((operation) => [operation, noRequests()]))
  new Counter({
    name: 'granary_http_requests_total',
    help: 'Requests answered, by operation and status.',
    labelNames: ['operation', 'status'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [operation, { byStatus }] of byOperation) {
        for (const [status, count] of byStatus) this.inc({ operation, status }, count)
      }
    },
  })
  registry.registerMetric(createHistogram(byOperation))

  return {
    answered(operation: string, status: number, seconds: number): void {
      let stats = byOperation.get(operation)
      if (!stats) {
        stats = noRequests()
        byOperation.set(operation, stats)
      }
      stats.byStatus.set(status, (stats.byStatus.get(status) ?? 0) + 1)
      stats.seconds += seconds
      stats.count += 1
      const index = bounds.findIndex((bound) => seconds <= bound)
      if (index >= 0) stats.buckets[index] = (stats.buckets[index] ?? 0) + 1
    },
    gauge({ name, help, labels: labelNames, read }: GaugeSpec): void {
      new Gauge({
        name,
        help,
        labelNames,
        registers: [registry],
        collect() {
          this.reset()
          for (const { labels, value } of read()) this.set(labels, value)
        },
      })
    },
    async expose(): Promise<{ contentType: string; text: string }> {
      return { contentType: registry.contentType, text: await registry.metrics() }
    },
  }
}

/** Plain numbers, because they are updated on every request; a scrape turns them into metrics. */
interface RequestStats {
  byStatus: Map<number, number>
  count: number
  seconds: number
  /** Requests per bucket, not cumulative; a scrape adds them up. */
  buckets: number[]
}

const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
const noRequests = (): RequestStats => ({
  byStatus: new Map([[200, 0]]),
  count: 0,
  seconds: 0,
  buckets: bounds.map(() => 0),
})

function createHistogram(byOperation: Map<string, RequestStats>): Metric {
  const name = 'granary_http_request_duration_seconds'
  const histogram = {
    name,
    get: async () => ({
      name,
      help: 'Time to answer a request.',
      type: 'histogram',
      aggregator: 'sum',
      values: [...byOperation].flatMap(([operation, { count, seconds, buckets }]) => {
        let below = 0
        const values = bounds.map((le, index) => {
          below += buckets[index] ?? 0
          return { metricName: `${name}_bucket`, labels: { le, operation }, value: below }
        })
        return [
          ...values,
          { metricName: `${name}_bucket`, labels: { le: '+Inf', operation }, value: count },
          { metricName: `${name}_sum`, labels: { operation }, value: seconds },
          { metricName: `${name}_count`, labels: { operation }, value: count },
        ]
      }),
    }),
    reset: () => byOperation.clear(),
  }
  return histogram as unknown as Metric
}

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** Every metric of the control plane is declared here, so that it exists, at zero, from the first scrape on. */
export function createMetrics(input: { version: string; operations: readonly string[] }) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'granary_' })
  new Gauge({
    name: 'granary_info',
    help: 'The version that runs; the value is always 1.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: input.version }, 1)
  const requests = new Counter({
    name: 'granary_http_requests_total',
    help: 'Requests answered, by operation and status.',
    labelNames: ['operation', 'status'],
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'granary_http_request_duration_seconds',
    help: 'Time to answer a request.',
    labelNames: ['operation'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  })
  for (const operation of input.operations) {
    requests.inc({ operation, status: 200 }, 0)
    seconds.zero({ operation })
  }
  return {
    answered(operation: string, status: number, durationSeconds: number): void {
      requests.inc({ operation, status })
      seconds.observe({ operation }, durationSeconds)
    },
    /** Numbers that are read when they are asked for. */
    gauge(name: string, help: string, read: () => { labels: Record<string, string>; value: number }[]): void {
      const labelNames = Object.keys(read()[0]?.labels ?? {})
      new Gauge({
        name,
        help,
        labelNames,
        registers: [registry],
        collect() {
          for (const { labels, value } of read()) this.set(labels, value)
        },
      })
    },
    async expose(): Promise<{ contentType: string; text: string }> {
      return { contentType: registry.contentType, text: await registry.metrics() }
    },
  }
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KeyRecord } from '../domain/key/types.ts'
import { planService } from '../domain/service/create.ts'
import { noResources } from '../domain/service/resources.ts'
import type { ServiceRecord } from '../domain/service/types.ts'
import type { Caller, ControlContext } from './context.ts'
import { organizationMetrics, serviceMetrics } from './metrics.ts'

function record(id: string, name: string): ServiceRecord {
  const planned = planService({ name }, { organization: { tier: 'SCALE', paid: true }, isPrimary: true })
  if (!('spec' in planned)) throw new Error('the sample is wrong')
  return {
    id,
    organizationId: 'o',
    warehouseId: 'w',
    isPrimary: true,
    generation: 4,
    spec: planned.spec,
    status: {
      state: 'running',
      reason: '',
      sinceMs: 0,
      observedGeneration: 4,
      dbVersion: '26.7',
      provisioned: true,
      current: { numReplicas: 2, replicaMemoryGb: 8 },
    },
    endpointPort: 1,
    createdAtMs: 0,
    updatedAtMs: 0,
  }
}

const services = [record('a', 'plain'), record('b', 'with "quotes", \\ and\nlines')]
const used = {
  ...noResources,
  parts: 7,
  replicas: [
    {
      ...{ id: 'a-0', role: 'writer' as const, serving: true, uptimeSeconds: 60, restarts: 1 },
      ...{ memoryLimitBytes: 8, memoryBytes: 5, cpuSeconds: 2.5, runningQueries: 1, queries: 10 },
      ...{ failedQueries: 2, rowsRead: 3, bytesRead: 4, rowsWritten: 6, bytesWritten: 9 },
    },
  ],
}
const pipes = ['flowing', 'stopped'].map((id) => ({
  ...{ id, spec: { name: `the ${id}`, source: { kafka: {} } }, status: { state: 'Running' } },
}))
const flowing = {
  ...{ phase: 'streaming', rows: 5, bytes: 600, rejected: 1, rowsPerSecond: 0.5, bytesPerSecond: 10 },
  ...{ lag: { records: 7, ms: null }, lastError: null, delivery: 'exactly_once', waiting: '', facts: {} },
}
const context = {
  store: {
    services: {
      list: async () => services,
      get: async (_organizationId: string, id: string) =>
        services.find((service) => service.id === id) ?? null,
    },
    pipes: { list: async (id: string) => (id === 'a' ? pipes : []) },
    backups: { newestGood: async (id: string) => (id === 'a' ? { startedAtMs: 5_500 } : null) },
  },
  pipeStatus: (id: string) => (id === 'flowing' ? flowing : null),
  resources: async ({ id }: ServiceRecord) => (id === 'a' ? used : noResources),
} as unknown as ControlContext
const caller = (key: Partial<KeyRecord>): Caller => ({
  key: { organizationId: 'o', roles: [], serviceGrants: [], ...key } as unknown as KeyRecord,
  ipAddress: '',
  userAgent: '',
  requestId: '',
})
const admin = caller({ roles: ['admin'] })

test('label values are escaped, so that each sample stays one line', async () => {
  const text = await serviceMetrics(context, admin, 'b', {})
  const info = text.split('\n').find((line) => line.startsWith('granary_service_info{')) ?? ''
  assert.ok(info.includes('service_name="with \\"quotes\\", \\\\ and\\nlines"'), info)
  assert.ok(info.endsWith('} 1'))
})

test('each metric is described once, before its samples', async () => {
  const lines = (await organizationMetrics(context, admin, {})).trimEnd().split('\n')
  const helps = lines.filter((line) => line.startsWith('# HELP')).map((line) => line.split(' ')[2])
  assert.equal(new Set(helps).size, helps.length)
  for (const [index, line] of lines.entries())
    if (line.startsWith('# HELP')) {
      const name = line.split(' ')[2]
      const type = name?.endsWith('_total') ? 'counter' : 'gauge'
      assert.equal(lines[index + 1], `# TYPE ${name} ${type}`)
    }
  assert.ok(lines.includes('granary_service_replica_memory_bytes{organization="o",service="a"} 8589934592'))
  assert.ok(lines.includes('granary_service_generation{organization="o",service="a"} 4'))
})

test('a key sees the metrics of the services that it sees', async () => {
  const granted = caller({ serviceGrants: [{ serviceId: 'a', role: 'developer' }] })
  const text = await organizationMetrics(context, granted, {})
  assert.ok(text.includes('service="a"') && !text.includes('service="b"'))
})

test('one that does not exist is not found', async () => {
  await assert.rejects(serviceMetrics(context, admin, 'c', {}), { code: 'NOT_FOUND' })
})

test('the age of the newest good backup can be told', async () => {
  const text = await organizationMetrics(context, admin, { filtered_metrics: true })
  const of = (id: string) =>
    new RegExp(`^granary_service_last_good_backup_timestamp_seconds{[^}]*service="${id}"} (.*)$`, 'm')
  assert.equal(of('a').exec(text)?.[1], '5.5')
  assert.equal(of('b').exec(text)?.[1], '0')
})

test('replicas that run tell what they use; a service of which none runs here tells nothing of the kind', async () => {
  const text = await organizationMetrics(context, admin, {})
  const ofReplica = text.split('\n').filter((line) => line.startsWith('granary_replica_'))
  assert.equal(ofReplica.length, 13)
  assert.ok(ofReplica.every((line) => line.includes('service="a",replica="a-0",role="writer"')))
  assert.match(text, /granary_replica_cpu_seconds_total\{[^}]*\} 2\.5\n/)
  assert.match(text, /# TYPE granary_replica_queries_total counter/)
  assert.match(text, /granary_service_parts\{[^}]*service="a"\} 7\n/)
})

test('pipes tell their state, and what flows as far as they run here and know it', async () => {
  const text = await organizationMetrics(context, admin, {})
  const ofPipes = text.split('\n').filter((line) => line.startsWith('granary_pipe_'))
  const labels = (id: string) =>
    `{organization="o",service="a",pipe="${id}",pipe_name="the ${id}",source="kafka"`
  assert.deepEqual(ofPipes, [
    `granary_pipe_info${labels('flowing')},state="Running"} 1`,
    `granary_pipe_info${labels('stopped')},state="Running"} 1`,
    `granary_pipe_rows_total${labels('flowing')}} 5`,
    `granary_pipe_fetched_bytes_total${labels('flowing')}} 600`,
    `granary_pipe_rejected_total${labels('flowing')}} 1`,
    `granary_pipe_rows_per_second${labels('flowing')}} 0.5`,
    `granary_pipe_bytes_per_second${labels('flowing')}} 10`,
    `granary_pipe_lag_records${labels('flowing')}} 7`,
  ])
})

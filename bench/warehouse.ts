import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePorts, startServer, type TestServer } from '../test/support/server.ts'
import { compileCache } from './engine-process.ts'
import { patienceMs } from './sizes.ts'

/** A Granary server with the real engine, run as users run it. */
export interface BenchWarehouse {
  /** Creates a service and waits until it runs. */
  create(body?: Record<string, unknown>): Promise<BenchService>
  /** Sends a request below the organization's path; throws the answer unless its status is 200. */
  api(method: string, path: string, body?: unknown): Promise<unknown>
  /** The same for the dashboard API, below `/api/v2`; gives the whole body. */
  dashboards(method: string, path: string, body?: unknown): Promise<unknown>
  /** Reads a service until `holds` returns true. */
  until(id: string, what: string, holds: (service: ServiceAnswer) => boolean): Promise<ServiceAnswer>
  dataDir: string
  /** The pids of the control plane and of a warehouse's running replicas. */
  processes(warehouseId: string): { server: number; replicas: number[] }
  stop(): Promise<void>
}

export interface BenchService {
  id: string
  warehouseId: string
  port: number
  headers: Record<string, string>
  /** Runs one statement; throws unless its status is 200. */
  sql(query: string): Promise<string>
}

/** The parts of the API's answer that benches look at. */
export interface ServiceAnswer {
  id: string
  state: string
  stateReason: string
  dataWarehouseId: string
  endpoints: { port: number }[]
  resources: { replicas: { id: string; serving: boolean; queries: number }[] }
}

export async function startBenchWarehouse(
  options: { env?: Record<string, string>; tier?: 'BASIC' | 'SCALE' } = {},
): Promise<BenchWarehouse> {
  const env = {
    GRANARY_ENGINE: 'embedded',
    GRANARY_SERVICE_PORTS: await freePorts(20),
    NODE_COMPILE_CACHE: compileCache,
  }
  const server = await startServer({ env: { ...env, ...options.env } })
  try {
    const api = apiOf(server)
    // One replica for each service, unless the bench measures several.
    await api('PATCH', '', { tier: options.tier ?? 'BASIC' })
    const until = untilOf(api)
    return {
      api,
      dashboards: async (method, path, body) => {
        const response = await fetch(`${server.url}/api/v2${path}`, {
          method,
          headers: {
            authorization: `Bearer ${server.credentials.dashboardToken}`,
            'content-type': 'application/json',
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
        const text = await response.text()
        if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${text}`)
        return JSON.parse(text)
      },
      until,
      dataDir: server.dataDir,
      async create(body = {}) {
        const asked = { name: 'bench', idleScaling: false, ...pinned, ...body }
        const created = (await api('POST', '/services', asked)) as {
          service: ServiceAnswer
          password: string
        }
        const running = await until(created.service.id, 'start', ({ state }) => state === 'running')
        return toService(running, created.password)
      },
      processes: (warehouseId) => findProcesses(server.dataDir, warehouseId),
      stop: async () => void (await server.stop()),
    }
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** Fixed memory, so that no service is resized during a measurement. */
const pinned = { minReplicaMemoryGb: 8, maxReplicaMemoryGb: 8 }

function apiOf(server: TestServer): BenchWarehouse['api'] {
  const root = `/v1/organizations/${server.credentials.organizationId}`
  return async (method, path, body) => {
    const answer = await server.api(method, `${root}${path}`, body)
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body.result
  }
}

function untilOf(api: BenchWarehouse['api']): BenchWarehouse['until'] {
  return async (id, what, holds) => {
    const deadlineMs = Date.now() + patienceMs
    for (;;) {
      const service = (await api('GET', `/services/${id}`)) as ServiceAnswer
      if (holds(service)) return service
      if (service.state === 'failed' || Date.now() > deadlineMs) {
        throw new Error(`waiting for ${what}: it is ${service.state}: ${service.stateReason}`)
      }
      await setTimeout(20)
    }
  }
}

function toService({ id, dataWarehouseId, endpoints }: ServiceAnswer, password: string): BenchService {
  const port = endpoints[0]?.port ?? 0
  const headers = { 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': password }
  return {
    id,
    port,
    headers,
    warehouseId: dataWarehouseId,
    async sql(query) {
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: query })
      const text = await response.text()
      if (response.status !== 200) throw new Error(`${response.status}: ${text}`)
      return text
    },
  }
}

/** Reads the files in the data directory by which the server finds its processes again. */
function findProcesses(dataDir: string, warehouseId: string): { server: number; replicas: number[] } {
  const root = join(dataDir, 'warehouses')
  const pidIn = (...path: string[]): number => JSON.parse(readFileSync(join(root, ...path), 'utf8')).pid
  const replicas = readdirSync(join(root, warehouseId, 'replicas'))
  return {
    server: pidIn('.holder.json'),
    replicas: replicas.map((name) => pidIn(warehouseId, 'replicas', name, 'process.json')),
  }
}

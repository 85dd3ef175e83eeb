import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type ClickHouseClient, createClient } from '@clickhouse/client'
import { replicaScript } from '../../src/engine/embedded/replica-kind.ts'
import { resolveRuntime } from '../../src/engine/embedded/runtime.ts'
import { listByScript, type ProcessIdentity } from '../../src/process/supervise/identity.ts'
import { processFile } from '../../src/process/supervise/launch.ts'
import { patienceMs as patience } from './patience.ts'
import { type Ends, freePorts, startServer, type TestServer } from './server.ts'

/** Whether warehouses can run here, and how long things may take: emulation is many times slower. */
const runtime = resolveRuntime({ library: process.env.GRANARY_ENGINE_LIBRARY ?? '' })
// Without the engine half of the product is untested: that is a failure, not a reason to skip.
if ('missing' in runtime) throw new Error(`the tests need the engine: ${runtime.missing}`)
export const { emulated } = runtime
export const patienceMs = emulated ? 2 * patience : patience

/** A Granary server with the real engine, and what a user needs to work with a service on it. */
export interface Warehouse {
  server: TestServer
  /** Creates a service and waits until it runs. */
  create(body?: Record<string, unknown>): Promise<WarehouseService>
  /** Reads a service. */
  get(id: string): Promise<ServiceAnswer>
  /** A request on a path below the organization. */
  api(method: string, path: string, body?: unknown): ReturnType<TestServer['api']>
  /** Reads until `holds` returns true, and fails with the last answer when it does not in time. */
  until(id: string, what: string, holds: (service: ServiceAnswer) => boolean): Promise<ServiceAnswer>
}

export interface WarehouseService {
  id: string
  url: string
  password: string
  client(options?: Parameters<typeof createClient>[0]): ClickHouseClient
  /** One statement over HTTP, as curl sends it. */
  sql(
    query: string,
    options?: { user?: string; password?: string; params?: Record<string, string> },
  ): Promise<Reply>
}

export interface Reply {
  status: number
  text: string
  headers: Headers
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type ServiceAnswer = any

export async function startWarehouse(
  t: Ends,
  options: { env?: Record<string, string>; tier?: 'BASIC' | 'SCALE'; dataDir?: string } = {},
): Promise<Warehouse> {
  // Separate ports, so that test files can run in parallel.
  const env = {
    GRANARY_ENGINE: 'embedded',
    GRANARY_SERVICE_PORTS: await freePorts(20),
  }
  const { dataDir } = options
  const server = await startServer({ env: { ...env, ...options.env }, ...(dataDir ? { dataDir } : {}) })
  t.after(() => server.stop())
  const root = `/v1/organizations/${server.credentials.organizationId}`
  const api: Warehouse['api'] = (method, path, body) => server.api(method, `${root}${path}`, body)
  // One replica for each service: enough for most tests, and half the processes.
  if (options.tier !== 'SCALE') assert.equal((await api('PATCH', '', { tier: 'BASIC' })).status, 200)

  const get: Warehouse['get'] = async (id) => (await api('GET', `/services/${id}`)).body.result
  const until: Warehouse['until'] = async (id, what, holds) => {
    const deadlineMs = Date.now() + patienceMs
    for (;;) {
      const service = await get(id)
      if (holds(service)) return service
      if (service?.state === 'failed') assert.fail(`${what}: the service failed: ${service.stateReason}`)
      if (Date.now() > deadlineMs) assert.fail(`${what}: it is ${service?.state}: ${service?.stateReason}`)
      await setTimeout(50)
    }
  }

  return {
    server,
    api,
    get,
    until,
    async create(body = {}) {
      const created = await api('POST', '/services', { name: 'warehouse', idleScaling: false, ...body })
      assert.equal(created.status, 200, JSON.stringify(created.body))
      const { service, password } = created.body.result
      await until(service.id, 'start', ({ state }) => state === 'running')
      return toService(service.id, service.endpoints[0], password)
    },
  }
}

/** All processes that were started for a data directory: replicas and spares. */
export async function processesOf(dataDir: string) {
  return (await listByScript(replicaScript)).filter(({ workDir }) => workDir.startsWith(dataDir))
}

/** The replicas among them, with their current working directories. */
export async function replicasOf(dataDir: string) {
  const notes = globSync(`warehouses/*/replicas/*/${processFile}`, { cwd: dataDir })
  const noted = new Map(
    notes.map((file) => {
      const path = join(dataDir, file)
      return [(JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity).pid, dirname(path)]
    }),
  )
  const isSpare = (workDir: string) => workDir.includes('/.spares/')
  const all = await processesOf(dataDir)
  return all
    .map(({ pid, workDir }) => ({ pid, workDir: noted.get(pid) ?? workDir }))
    .filter(({ workDir }) => !isSpare(workDir))
}

function toService(
  id: string,
  { protocol, host, port }: { protocol: string; host: string; port: number },
  password: string,
): WarehouseService {
  const url = `${protocol}://${host}:${port}`
  return {
    id,
    url,
    password,
    client: (options = {}) => createClient({ url, password, request_timeout: patienceMs, ...options }),
    async sql(query, { user = 'default', password: given = password, params = {} } = {}) {
      const target = new URL(url)
      for (const [name, value] of Object.entries(params)) target.searchParams.set(name, value)
      const headers = { 'X-ClickHouse-User': user, 'X-ClickHouse-Key': given }
      const response = await fetch(target, { method: 'POST', headers, body: query })
      return { status: response.status, text: await response.text(), headers: response.headers }
    },
  }
}

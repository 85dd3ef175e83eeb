import { readFileSync } from 'node:fs'
import type { Config } from '../config/load.ts'
import type { ControlContext } from '../control/context.ts'
import { checkPassword, readAccess } from '../control/services/endpoint-access.ts'
import { noResources, type ServiceResources, viewResources } from '../domain/service/resources.ts'
import type { RestoreProgress } from '../domain/service/restore.ts'
import type { ServiceRecord } from '../domain/service/types.ts'
import type { Engine } from '../engine/engine.ts'
import { createGateway, type Gateway } from '../gateway/gateway.ts'
import type { Clock } from '../lib/clock.ts'
import { endsWithin, type Log } from '../lib/running.ts'
import type { Endpoints } from '../reconcile/services.ts'
import { wakeService } from '../reconcile/system-intents.ts'
import type { SecretBox } from '../store/secret-box.ts'
import type { Store } from '../store/store.ts'

export interface ServiceEndpointsParts {
  config: Config
  store: Store
  secretBox: SecretBox
  engine: Engine
  /** The id of the data directory. */
  dataPlaneId: string
  clock: Clock
  log: Log
  wake(kind: 'service', id: string): void
}

/** The endpoints of the services, and their activity. */
export interface ServiceEndpoints extends Endpoints, Pick<ControlContext['dataPlane'], 'openEndpoint'> {
  gateway: Gateway
  resources(service: ServiceRecord): Promise<ServiceResources>
  restoreProgress(service: ServiceRecord): Promise<RestoreProgress | null>
  /**
   * Opens the endpoints of all services that this data plane holds, sleeping ones too, and ends unknown
   * replicas.
   */
  start(): Promise<void>
}

const pageSize = 500
/** How long the answer to a creation waits for the endpoint to open. */
const openLimitMs = 500

export function createServiceEndpoints(parts: ServiceEndpointsParts): ServiceEndpoints {
  const { config, store, secretBox, engine, dataPlaneId, clock, log, wake } = parts
  const refOf = async (serviceId: string) => {
    const service = await store.services.find(serviceId)
    return { serviceId, warehouseId: service?.warehouseId ?? '' }
  }
  const gateway = createGateway({
    host: config.host,
    proxies: config.trustProxy || [],
    origins: config.endpointOrigins,
    ...tlsOf(config),
    clock,
    log,
    lookups: {
      access: (serviceId) => readAccess(store, serviceId),
      verifyPassword: (serviceId, user, password) =>
        checkPassword({ store, secretBox }, serviceId, user, password),
      wake: async (serviceId) => {
        await wakeService({ store, clock, wake }, serviceId)
      },
      observe: async (serviceId) => engine.observe(await refOf(serviceId)),
      wakeEstimateMs: () => engine.capabilities().wakeEstimateMs,
      readerLagMs: () => engine.capabilities().readerLagMs,
    },
  })

  const problems = new Map<string, string>()
  /** Whether the endpoint is open now; if not, `problem` says why. */
  async function open(service: { serviceId: string; port: number }): Promise<boolean> {
    const { serviceId, port } = service
    try {
      await gateway.open(service)
      problems.delete(serviceId)
      return true
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      const problem = `port ${port}: ${code === 'EADDRINUSE' ? 'another program listens there' : message}`
      // The loop retries again and again, so the same problem is logged once.
      if (problems.get(serviceId) !== problem)
        log.error({ err: error, ...service }, 'an endpoint cannot be opened')
      problems.set(serviceId, problem)
      return false
    }
  }

  /** A removed service may not have released the port yet, so opening it is tried a few times. */
  async function openSoon(service: { serviceId: string; port: number }): Promise<void> {
    const untilMs = clock.now() + openLimitMs
    while (!(await open(service)) && clock.now() < untilMs) await clock.sleep(20)
  }

  /**
   * Services that the store does not know (it was lost, or restored from a copy) must not run; their data is
   * kept.
   */
  async function endStrangers(): Promise<void> {
    for (const ref of await engine.adopt()) {
      if (await store.services.find(ref.serviceId)) continue
      log.warn(ref, 'a service that the store does not know is ended; its data is kept')
      await engine.destroy(ref, 'keep')
    }
  }

  return {
    gateway,
    open: (service) => void open(service),
    async openEndpoint(service) {
      if (engine.kind !== 'none') await endsWithin(clock, openLimitMs, openSoon(service))
    },
    close(serviceId) {
      problems.delete(serviceId)
      void gateway.close(serviceId)
    },
    problem: (serviceId) => problems.get(serviceId) ?? '',
    refresh: (serviceId) => gateway.refresh(serviceId),
    async resources(service) {
      const observed = await engine.observe(refTo(service))
      return observed.replicas.length === 0 ? noResources : viewResources(observed, clock.now())
    },
    async restoreProgress(service) {
      return (await engine.observe(refTo(service))).restore ?? null
    },
    async start() {
      await endStrangers()
      for (let after: { atMs: number; id: string } | undefined; ; ) {
        const page = await store.services.endpoints({ limit: pageSize, ...(after ? { after } : {}) })
        for (const { id, port, dataPlaneId: owner } of page)
          if (owner === dataPlaneId) void open({ serviceId: id, port })
        const last = page.at(-1)
        if (!last || page.length < pageSize) return
        after = { atMs: last.createdAtMs, id: last.id }
      }
    },
  }
}

const refTo = ({ id, warehouseId }: ServiceRecord) => ({ serviceId: id, warehouseId })

function tlsOf({ endpointCertificate, endpointKey }: Config) {
  if (endpointCertificate === '' && endpointKey === '') return {}
  return { tls: { cert: readFileSync(endpointCertificate), key: readFileSync(endpointKey) } }
}

import { readFileSync } from 'node:fs'
import { type Config, ConfigError } from './config/load.ts'
import type { ControlContext } from './control/context.ts'
import { checkPassword, readAccess } from './control/services/endpoint-access.ts'
import { noResources, type ServiceResources, viewResources } from './domain/service/resources.ts'
import type { ServiceRecord } from './domain/service/types.ts'
import { createAbsentEngine } from './engine/absent.ts'
import type { BackupRuntime, BackupSource } from './engine/backup.ts'
import { createEmbeddedEngine } from './engine/embedded/driver.ts'
import { type Runtime, resolveRuntime } from './engine/embedded/runtime.ts'
import type { Engine } from './engine/engine.ts'
import { createGateway, type Gateway } from './gateway/gateway.ts'
import type { Clock } from './lib/clock.ts'
import { endsWithin, type Log } from './lib/running.ts'
import { describeSupport, type Support, supportText } from './process/confine/confine.ts'
import { findMachine } from './process/confine/egress-filter.ts'
import type { Isolation } from './process/confine/isolation.ts'
import { wakeService } from './reconcile/decisions.ts'
import type { Endpoints } from './reconcile/services.ts'
import type { SecretBox } from './store/secret-box.ts'
import type { Store } from './store/store.ts'

type LocateBackup = (backupId: string) => Promise<BackupSource | null>

export interface OpenedEngine {
  engine: Engine
  /** null = this engine cannot make backups. */
  backups: BackupRuntime | null
  /**
   * What confines the processes that run SQL: `landlock 7`, `none: <why>`, `off`; '' = there are no processes.
   */
  isolation: string
}

/** Chooses the engine by the configuration. An engine that cannot run here reports why on every service. */
export async function openEngine(
  config: Config,
  { clock, log, locateBackup }: { clock: Clock; log: Log; locateBackup: LocateBackup },
): Promise<OpenedEngine> {
  const absent = (reason: string) => ({
    ...{ engine: createAbsentEngine(reason), backups: null, isolation: '' },
  })
  if (config.engine === 'none') return absent('no warehouse engine runs here (GRANARY_ENGINE=none)')
  const runtime = resolveRuntime({ library: config.engineLibrary })
  if ('missing' in runtime) {
    log.warn({}, `services cannot start on this machine: ${runtime.missing}`)
    return absent(runtime.missing)
  }
  if (runtime.emulated) log.warn({}, 'the engine runs under emulation of another CPU: expect it to be slow')
  const isolation = checkIsolation(config.isolation, supportFor(runtime), log)
  // Under emulation, a further process would cost half a minute of a core and a gigabyte.
  const spares = config.spareReplicas ?? (runtime.emulated ? 0 : 1)
  const { dataDir, egressAllow: egress, sourceEgressAllow: sourceEgress } = config
  const engine = await createEmbeddedEngine({
    ...{
      dataDir,
      isolation: config.isolation,
      egress,
      sourceEgress,
      runtime,
      clock,
      log,
      spares,
      locateBackup,
    },
  })
  return { engine, backups: engine.backups, isolation: `${isolation}${egressGap(isolation, log)}` }
}

const supportFor = ({ emulated }: Runtime): Support =>
  emulated ? { by: 'none', why: 'a process under emulation cannot confine itself' } : describeSupport()

/** '' = the system controls the connections that SQL opens, or nothing is confined anyway. */
function egressGap(isolation: string, log: Log): string {
  const machine = findMachine()
  if (!isolation.startsWith('landlock') || !('missing' in machine)) return ''
  log.warn({ why: machine.missing }, 'connects of SQL are not judged here')
  return `, connects are not judged: ${machine.missing}`
}

/** Logs what confines replicas; if they must be confined and cannot be, the server does not start. */
export function checkIsolation(wanted: Isolation, support: Support, log: Log): string {
  if (wanted === 'off') {
    log.warn({}, 'processes that run SQL are not confined (GRANARY_ISOLATION=off)')
    return 'off'
  }
  if (support.by === 'none' && wanted === 'required') {
    throw new ConfigError([
      `GRANARY_ISOLATION is required, but nothing confines processes here: ${support.why}`,
    ])
  }
  if (support.by === 'none') log.warn({ why: support.why }, 'processes that run SQL cannot be confined here')
  return supportText(support)
}

export interface DataPlaneParts {
  config: Config
  store: Store
  secretBox: SecretBox
  engine: Engine
  /** The id of the data directory. */
  home: string
  clock: Clock
  log: Log
  wake(kind: 'service', id: string): void
}

/** The endpoints of the services, and their activity. */
export interface DataPlane extends Endpoints, Pick<ControlContext['dataPlane'], 'openEndpoint'> {
  gateway: Gateway
  resources(service: ServiceRecord): Promise<ServiceResources>
  /**
   * Opens the endpoints of all services that this data plane holds, sleeping ones too, and ends unknown
   * replicas.
   */
  start(): Promise<void>
}

const pageSize = 500
/** How long the answer to a creation waits for the endpoint to open. */
const openLimitMs = 500

export function createDataPlane(parts: DataPlaneParts): DataPlane {
  const { config, store, secretBox, engine, home, clock, log, wake } = parts
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
      const ref = { serviceId: service.id, warehouseId: service.warehouseId }
      const observed = await engine.observe(ref)
      return observed.replicas.length === 0 ? noResources : viewResources(observed, clock.now())
    },
    async start() {
      await endStrangers()
      for (let after: { atMs: number; id: string } | undefined; ; ) {
        const page = await store.services.endpoints({ limit: pageSize, ...(after ? { after } : {}) })
        for (const { id, port, home: owner } of page) if (owner === home) void open({ serviceId: id, port })
        const last = page.at(-1)
        if (!last || page.length < pageSize) return
        after = { atMs: last.createdAtMs, id: last.id }
      }
    },
  }
}

function tlsOf({ endpointCertificate, endpointKey }: Config) {
  if (endpointCertificate === '' && endpointKey === '') return {}
  return { tls: { cert: readFileSync(endpointCertificate), key: readFileSync(endpointKey) } }
}

import { hostname } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { operations } from './api/operations.ts'
import { type Credentials, ensureCredentials } from './bootstrap/credentials.ts'
import { tightenDataDir } from './bootstrap/data-dir.ts'
import { loadDataPlaneId } from './bootstrap/data-plane.ts'
import { loadSecretKey } from './bootstrap/secret-key.ts'
import { createChangeSignals } from './change-signals.ts'
import type { Config } from './config/load.ts'
import { createBackupLocations } from './control/backup-locations.ts'
import type { ControlContext } from './control/context.ts'
import { createDataPlane, openEngine } from './data-plane.ts'
import type { BackupRuntime } from './engine/backup.ts'
import type { Engine } from './engine/engine.ts'
import { createApp } from './http/app.ts'
import { createAuthenticator } from './http/auth.ts'
import { registerPublicRoutes } from './http/public-routes.ts'
import { createRateLimiter } from './http/rate-limit.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { newId } from './lib/ids.ts'
import { shutdown } from './lib/shutdown.ts'
import type { PipeRuntime, PipeRuntimeParts } from './pipes/runtime.ts'
import type { PipeWarehouse } from './pipes/warehouse.ts'
import { createAutomatic } from './reconcile/automatic.ts'
import { createBackupLocator } from './reconcile/backup/locator.ts'
import { createBackupLoops } from './reconcile/backup/loops.ts'
import { createDriver } from './reconcile/driver.ts'
import { createHint } from './reconcile/hints.ts'
import { createPipeLoop } from './reconcile/pipes.ts'
import { createServiceLoop } from './reconcile/services.ts'
import { createSecretBox } from './store/secret-box.ts'
import { openSqlStore } from './store/sql/open.ts'
import type { Store } from './store/store.ts'
import { createMetrics } from './telemetry/metrics.ts'

export interface Server {
  app: FastifyInstance
  store: Store
  /** The credentials that were created just now, to be shown once; null = they existed already. */
  newCredentials: Credentials | null
  /** Starts to listen and to work; resolves with the address. */
  start(): Promise<string>
  /**
   * Ends in phases, each with a time limit: first requests, then loops, then replicas, then the store. When
   * `hurry` aborts, requests and loops are cut off and replicas are killed; `stop` still waits until they are
   * gone.
   */
  stop(hurry?: AbortSignal): Promise<void>
}

export interface ServerParts {
  log: Logger
  version: string
  clock?: Clock
  engine?: Engine
  backups?: BackupRuntime
  /** Absent = no pipe runs. */
  openPipes?(parts: PipeRuntimeParts): PipeRuntime
}

/** The composition root: the only place that knows every part by name. */
export async function createServer(config: Config, parts: ServerParts): Promise<Server> {
  const { log, version, clock = systemClock } = parts
  const secretBox = createSecretBox(loadSecretKey(config))
  tightenDataDir(config)
  const store = await openSqlStore({
    url: config.databaseUrl || `sqlite:${join(config.dataDir, 'granary.db')}`,
    secretBox,
    clock,
    endpointPorts: config.servicePorts,
    log,
  })
  const owner = `${hostname()}:${process.pid}:${newId()}`
  let newCredentials: Credentials | null
  try {
    newCredentials = await ensureCredentials({ store, secretBox, clock }, config)
    await store.releaseDead((candidate) => isDead(candidate, owner))
  } catch (error) {
    await store.close()
    throw error
  }

  const locations = createBackupLocations({ store })
  const locateBackup = createBackupLocator({ store, locations })
  const { engine, backups, isolation } = parts.engine
    ? { engine: parts.engine, backups: parts.backups ?? null, isolation: '' }
    : await openEngine(config, { clock, log, locateBackup }).catch(closing(store))
  let home = ''
  try {
    if (engine.kind === 'embedded') home = loadDataPlaneId(config)
  } catch (error) {
    await engine.close()
    return closing(store)(error)
  }
  const wake: ControlContext['wake'] = (kind, id) => signals.wake(kind, id)
  const dataPlane = createDataPlane({ config, store, secretBox, engine, home, clock, log, wake })
  const automatic = createAutomatic({
    store,
    clock,
    wake,
    activity: (serviceId) => dataPlane.gateway.activity(serviceId),
    timeScale: config.timeScale,
  })
  // Without an engine no service can run: no port is opened, and no service is put to sleep.
  const served = engine.kind === 'none' ? {} : { endpoints: dataPlane, automatic }
  const backupLoops = createBackupLoops({
    ...{ store, runtime: backups, locations, clock, home, wake, timeScale: config.timeScale },
  })
  const { purge } = backupLoops
  const pipes = parts.openPipes?.({ warehouseOf, clock, log }) ?? null
  const driver = createDriver({
    work: store.work,
    loops: [
      createServiceLoop({ store, engine, clock, home, ...served, ...(purge ? { purgeBackups: purge } : {}) }),
      createPipeLoop({ store, runtime: pipes, clock }),
      ...backupLoops.loops,
    ],
    clock,
    log,
    owner,
    paceMs: 20,
  })
  const hint = createHint({ work: store.work, wake: driver.wake, log })
  const authenticator = createAuthenticator({
    store,
    secretBox,
    clock,
    onError: (error) => log.warn({ err: error }, 'the last use of a key could not be noted'),
  })
  const signals = createChangeSignals({ driver, gateway: dataPlane.gateway, authenticator })
  const control: ControlContext = {
    store,
    clock,
    secretBox,
    endpoint: { protocol: config.endpointKey === '' ? 'http' : 'https', host: config.host },
    quotas: { servicesPerOrganization: config.maxServices, keysPerOrganization: config.maxKeys },
    dataPlane: { id: home, openEndpoint: dataPlane.openEndpoint },
    resources: dataPlane.resources,
    tryBackupLocation: backups?.tryLocation ?? null,
    wake,
    keysChanged: signals.keysChanged,
    loginsChanged: signals.loginsChanged,
  }
  const metrics = createMetrics({ version, operations: operations.map(({ id }) => id) })
  for (const name of ['running', 'runs', 'failures', 'terminal', 'stuck'] as const) {
    metrics.gauge(`granary_reconcile_${name}`, `Reconcile loops: ${name}, by kind of resource.`, () =>
      Object.entries(driver.status()).map(([kind, status]) => ({ labels: { kind }, value: status[name] })),
    )
  }
  metrics.gauge('granary_isolation', 'Whether processes that run SQL are confined, and by what.', () =>
    isolation === '' ? [] : [{ labels: { by: isolation }, value: isConfined(isolation) ? 1 : 0 }],
  )
  metrics.gauge('granary_backups_total', 'Backups that ended since the start, by status.', () =>
    Object.entries(backupLoops.counts()).map(([status, value]) => ({ labels: { status }, value })),
  )
  const app = createApp({
    control,
    authenticator,
    rateLimiter: createRateLimiter(clock, { requests: config.rateLimit, windowMs: 10_000 }),
    log,
    trustProxy: config.trustProxy,
    onAnswer: metrics.answered,
  })
  registerPublicRoutes(app, { isolation, ready: isReady, metrics: metrics.expose })

  const running = new AbortController()
  let working: Promise<void> = Promise.resolve()
  let stopListening = () => {}
  return {
    app,
    store,
    newCredentials,
    async start() {
      const address = await app.listen({ host: config.host, port: config.port })
      const stopHearing = store.onIntent(signals.heard)
      const stopWatching = engine.onChange(({ serviceId }) => {
        dataPlane.refresh(serviceId)
        hint('service', serviceId)
      })
      const stopAwaiting = backups?.onEnd((backupId) => hint('backup', backupId))
      const stopFollowing = pipes?.onChange((pipeId) => hint('pipe', pipeId))
      stopListening = () => {
        stopHearing()
        stopWatching()
        stopAwaiting?.()
        stopFollowing?.()
      }
      if (engine.kind !== 'none') await dataPlane.start()
      working = driver
        .run(running.signal)
        .catch((error: unknown) => log.error({ err: error }, 'the loops ended'))
      return address
    },
    async stop(hurry) {
      const phases = [
        {
          name: 'requests',
          limitMs: 10_000,
          tasks: [
            { name: 'http', run: () => app.close() },
            { name: 'endpoints', run: () => dataPlane.gateway.stop(8_000) },
          ],
        },
        { name: 'loops', limitMs: 15_000, tasks: [{ name: 'reconcile', run: () => stopLoops() }] },
        {
          name: 'jobs',
          limitMs: 15_000,
          tasks: [
            { name: 'backups', run: () => backupLoops.close() },
            { name: 'pipes', run: async () => pipes?.close(hurry) },
          ],
        },
        {
          name: 'engine',
          limitMs: 60_000,
          isVital: true,
          tasks: [{ name: 'replicas', run: () => engine.close(hurry) }],
        },
        { name: 'store', limitMs: 5_000, tasks: [{ name: 'store', run: () => store.close() }] },
      ]
      await shutdown(phases, { clock, log, ...(hurry ? { hurry } : {}) })
    },
  }

  /** Each pipe queries its service under a name of its own. */
  function warehouseOf({ id, serviceId }: { id: string; serviceId: string }): PipeWarehouse {
    return {
      dialect: engine.sql(),
      ask: ({ settings = {}, countsAsActivity = true, ...question }) =>
        dataPlane.gateway.ask({
          ...question,
          serviceId,
          principal: { name: `pipe:${id}`, role: 'readWrite', settings },
          countsAsActivity,
        }),
    }
  }

  /** Public: the error says that the store is unreachable, but not its address or user. */
  async function isReady(): Promise<void> {
    await store.ping().catch((error: unknown) => {
      throw new Error('the store cannot be reached', { cause: error })
    })
  }

  async function stopLoops(): Promise<void> {
    stopListening()
    await driver.stop()
    running.abort()
    await working
  }
}

const isConfined = (isolation: string): boolean => !/^(none|off)/.test(isolation)

/** Closes the store when a part that is opened after it fails to open. */
function closing(store: Store): (error: unknown) => Promise<never> {
  return async (error) => {
    await store.close()
    throw error
  }
}

/** Whether an owner of leases ran on this machine and has ended; about other machines nothing is known. */
function isDead(candidate: string, self: string): boolean {
  const [host, pid, start] = candidate.split(':')
  const [ownHost, ownPid, ownStart] = self.split(':')
  if (host !== ownHost || start === ownStart) return false
  if (pid === ownPid) return true
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createWebhooks } from './alerts/send-webhook.ts'
import { operations } from './api/operations.ts'
import { type Credentials, ensureCredentials, firstOrganizationId } from './bootstrap/credentials.ts'
import { makeFilesDir, requireOtherFolders, tightenDataDir } from './bootstrap/data-dir.ts'
import { loadDataPlaneId } from './bootstrap/data-plane.ts'
import { isDeadOwner, nameOwner } from './bootstrap/owner.ts'
import { loadSecretKey } from './bootstrap/secret-key.ts'
import { createChangeSignals } from './change-signals.ts'
import type { Config } from './config/load.ts'
import { createBackupLocations } from './control/backup-locations.ts'
import { createChangeHub } from './control/changes.ts'
import type { ControlContext } from './control/context.ts'
import type { DemoPort } from './control/demo.ts'
import type { BackupRuntime } from './engine/backup.ts'
import type { Engine } from './engine/engine.ts'
import { createApp } from './http/app.ts'
import { createAuthenticator } from './http/auth.ts'
import { registerConsoleRoutes } from './http/console-routes.ts'
import { exportedIssues } from './http/import-dashboard.ts'
import { registerPublicRoutes } from './http/public-routes.ts'
import { createRateLimiter } from './http/rate-limit.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { createAlertsPart } from './parts/alerts.ts'
import { createBackupsPart } from './parts/backups.ts'
import { createConsolePart } from './parts/console.ts'
import { createDashboardFilesPart } from './parts/dashboard-files.ts'
import { createDemoPart } from './parts/demo.ts'
import { createHistoryPart } from './parts/history.ts'
import { joinParts } from './parts/join.ts'
import { openEngine } from './parts/open-engine.ts'
import type { Part } from './parts/part.ts'
import { createPipesPart } from './parts/pipes.ts'
import { createServicesPart } from './parts/services.ts'
import type { PipeChecks } from './pipes/checks.ts'
import { openDestination } from './pipes/destination/create-destination.ts'
import { sourceEgress } from './pipes/egress.ts'
import type { ObjectStorageLimits } from './pipes/object-storage/open-store.ts'
import type { RejectedRecords } from './pipes/rejected.ts'
import { createPipeRuntime } from './pipes/run/runtime.ts'
import type { PipeRuntime, PipeRuntimeParts } from './pipes/runtime.ts'
import type { TileLimits } from './queries/limits.ts'
import { createQueries, type Queries } from './queries/queries.ts'
import { createBackupLocator } from './reconcile/backup/locator.ts'
import { createTableReader } from './sources/read-tables.ts'
import type { TableReader } from './sources/tables.ts'
import { createStatements, type Statements } from './statements/statements.ts'
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
  /** Absent = alerts ask the engine. */
  alertQueries?: Pick<Queries, 'ask'>
  /** Absent = tables are read in the engine. */
  tables?: TableReader
  /** Absent = tiles are answered by the engine. */
  queries?: Queries
  /** Absent = statements are run by the engine. */
  statements?: Statements
  /** Absent = demos are made where the engine runs. */
  demo?: DemoPort
  /** Absent = the workers of pipes look at sources. */
  pipeChecks?: PipeChecks
  rejectedRecords?: RejectedRecords
  /** Absent = pipes run where services do. */
  openPipes?(parts: PipeRuntimeParts): PipeRuntime
}

/** The composition root: the only place that knows every part by name. */
export async function createServer(config: Config, parts: ServerParts): Promise<Server> {
  const { log, version, clock = systemClock } = parts
  const secretBox = createSecretBox(loadSecretKey(config))
  tightenDataDir(config)
  requireOtherFolders(config)
  const filesDir = makeFilesDir(config)
  const store = await openSqlStore({
    url: config.databaseUrl || `sqlite:${join(config.dataDir, 'granary.db')}`,
    secretBox,
    clock,
    endpointPorts: config.servicePorts,
    log,
  })
  const owner = nameOwner()
  let newCredentials: Credentials | null
  try {
    newCredentials = await ensureCredentials({ store, secretBox, clock }, config)
    await store.releaseDead((candidate) => isDeadOwner(candidate, owner))
  } catch (error) {
    await store.close()
    throw error
  }

  const locations = createBackupLocations({ store })
  const locateBackup = createBackupLocator({ store, locations })
  const opened = parts.engine
    ? { engine: parts.engine, backups: parts.backups ?? null, isolation: '' }
    : await openEngine(config, { clock, log, locateBackup }).catch(closing(store))
  const { engine, isolation } = opened
  let dataPlaneId = ''
  try {
    if (engine.kind === 'embedded') dataPlaneId = loadDataPlaneId(config)
  } catch (error) {
    await engine.close()
    return closing(store)(error)
  }
  const wake: ControlContext['wake'] = (kind, id) => signals.wake(kind, id)
  const authenticator = createAuthenticator({
    store,
    secretBox,
    clock,
    onError: (error) => log.warn({ err: error }, 'the last use of a key could not be noted'),
  })
  const backups = createBackupsPart({
    ...{ store, runtime: opened.backups, locations, clock, dataPlaneId, wake, timeScale: config.timeScale },
  })
  const history = createHistoryPart({
    ...{ store, clock, log, dataPlaneId },
    pipeStatus: (pipeId) => pipes.status(pipeId),
  })
  const services = createServicesPart({
    ...{ config, store, secretBox, engine, dataPlaneId, clock, log, wake, isolation },
    purgeBackups: backups.purge,
    history: history.recorder,
  })
  const { gateway } = services
  const pipes = createPipesPart({
    ...{ store, engine, gateway, dataPlaneId, clock, log, limits: sourceLimits(config, filesDir) },
    checkPatienceMs: config.pipeCheckSeconds * 1000,
    isQuiet: (pipeId) => demo.runner.ownsPipe(pipeId),
    history: history.recorder,
    open: parts.openPipes ?? (engine.kind === 'embedded' ? openPipes : null),
  })
  const http: Part = { name: 'http', stop: { requests: () => app.close() } }
  const storePart: Part = {
    name: 'store',
    hints: () => store.onIntent(signals.heard),
    stop: { store: () => store.close() },
  }
  const changes = createChangeHub(clock)
  const changesPart: Part = {
    name: 'changes',
    hints: () => store.onChange(changes.tell),
    gauges: [
      {
        name: 'granary_change_streams',
        help: 'Streams of changes that are open.',
        labels: [],
        read: () => [{ labels: {}, value: changes.count() }],
      },
    ],
  }
  const webhooks = createWebhooks({ clock, list: config.webhookAllow })
  const alerts = createAlertsPart({
    ...{ store, clock, log, webhooks, timeScale: config.timeScale },
    queries: parts.alertQueries ?? (engine.kind === 'none' ? null : quietQueries()),
  })
  const dashboardFiles = createDashboardFilesPart({
    ...{ directory: config.dashboardsDir, store, clock, log, check: exportedIssues },
    organizationId: async () => (await firstOrganizationId(store)) ?? '',
  })
  const webConsole = config.console === 'on' ? createConsolePart({ log }) : null
  const demo = createDemoPart({
    ...{ store, clock, log, gateway, dataPlaneId, filesDir },
    control: () => control,
  })
  // A new capability is one more part here.
  const further = webConsole ? [webConsole] : []
  const joined = joinParts(
    [
      http,
      storePart,
      changesPart,
      history,
      services,
      backups,
      pipes,
      alerts,
      dashboardFiles,
      demo,
      ...further,
    ],
    {
      ...{ work: store.work, clock, log, owner },
    },
  )
  const signals = createChangeSignals({ driver: joined, gateway, authenticator })

  const control: ControlContext = {
    store,
    clock,
    secretBox,
    endpoint: { protocol: config.endpointKey === '' ? 'http' : 'https', host: config.host },
    quotas: { servicesPerOrganization: config.maxServices, keysPerOrganization: config.maxKeys },
    dataPlane: { id: dataPlaneId, openEndpoint: services.openEndpoint },
    resources: services.resources,
    restoreProgress: services.restoreProgress,
    pipeStatus: pipes.status,
    pipeLanes: pipes.lanes,
    rejectedRecords: parts.rejectedRecords ?? pipes.rejected,
    changes,
    timeScale: config.timeScale,
    tryBackupLocation: opened.backups?.tryLocation ?? null,
    webhookRefusal: webhooks.refusal,
    demo: parts.demo ?? (engine.kind === 'none' ? null : { ...demo.runner, rows: config.demoRows }),
    keepsDashboardFiles: config.dashboardsDir !== '',
    pipeChecks: config.pipeChecks === 'off' ? null : (parts.pipeChecks ?? pipes.checks),
    tables: parts.tables ?? (engine.kind === 'none' ? null : createTableReader(gateway)),
    queries:
      parts.queries ??
      (engine.kind === 'none'
        ? null
        : createQueries({ ask: gateway.ask, clock, limits: tileLimits(config), sign: secretBox.hash })),
    statements:
      parts.statements ?? (engine.kind === 'none' ? null : createStatements({ ask: gateway.ask, clock })),
    wake,
    keysChanged: signals.keysChanged,
    loginsChanged: signals.loginsChanged,
  }
  const metrics = createMetrics({ version, operations: operations.map(({ id }) => id) })
  for (const gauge of joined.gauges) metrics.gauge(gauge)
  const app = createApp({
    control,
    authenticator,
    rateLimiter: createRateLimiter(clock, { requests: config.rateLimit, windowMs: 10_000 }),
    log,
    trustProxy: config.trustProxy,
    onAnswer: metrics.answered,
  })
  const hasConsole = webConsole !== null
  registerPublicRoutes(app, { isolation, ready: isReady, metrics: metrics.expose, hasConsole })
  if (webConsole) registerConsoleRoutes(app, webConsole.state)

  return {
    app,
    store,
    newCredentials,
    async start() {
      const address = await app.listen({ host: config.host, port: config.port })
      await joined.start()
      return address
    },
    stop: joined.stop,
  }

  function openPipes(pipeParts: PipeRuntimeParts): PipeRuntime {
    const { dataDir, timeScale, sourceEgressAllow: egress } = config
    const folders = sourceLimits(config, filesDir).fileRoots
    return createPipeRuntime({
      ...{ ...pipeParts, dataDir, store, isolation: config.isolation, egress, folders, timeScale },
      environment: sourceEnvironment(config),
      openDestination: (destination) => openDestination(destination, sourceLimits(config, filesDir)),
    })
  }

  /** Questions that keep no service awake. */
  function quietQueries(): Queries {
    const ask: typeof gateway.ask = (question) => gateway.ask({ ...question, countsAsActivity: false })
    return createQueries({ ask, clock, limits: tileLimits(config), sign: secretBox.hash })
  }

  /** Public: the error says that the store is unreachable, but not its address or user. */
  async function isReady(): Promise<void> {
    await store.ping().catch((error: unknown) => {
      throw new Error('the store cannot be reached', { cause: error })
    })
  }
}

const tileLimits = (config: Config): TileLimits => ({
  timeoutSeconds: config.tileTimeoutSeconds,
  memoryMb: config.tileMemoryMb,
  readRows: config.tileReadRows,
  resultRows: config.tileResultRows,
})

/** Closes the store when a part that is opened after it fails to open. */
function closing(store: Store): (error: unknown) => Promise<never> {
  return async (error) => {
    await store.close()
    throw error
  }
}

/** Where the sources of pipes may be. */
const sourceLimits = (
  { sourceEgressAllow, pipeFileRoots }: Config,
  filesDir: string,
): ObjectStorageLimits => ({
  egress: sourceEgress(sourceEgressAllow),
  fileRoots: [filesDir, ...pipeFileRoots],
})

/** The variables by which workers find servers that no pipe names; a worker inherits no others. */
const sourceEnvironment = (config: Config) =>
  Object.fromEntries(
    Object.entries({
      AWS_ENDPOINT_URL: config.awsEndpointUrl,
      AWS_ENDPOINT_URL_KINESIS: config.awsEndpointUrlKinesis,
      AWS_ENDPOINT_URL_STS: config.awsEndpointUrlSts,
      GRANARY_KINESIS_SCHEMA_REGISTRY: config.kinesisSchemaRegistry,
    }).filter(([, value]) => value !== ''),
  )

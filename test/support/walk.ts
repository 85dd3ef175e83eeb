import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Operation } from '../../src/api/operation.ts'
import { isDashboardOperation, type OperationId, operation } from '../../src/api/operations.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { BackupRecord } from '../../src/domain/backup/types.ts'
import { notFound } from '../../src/domain/errors.ts'
import { formatPath, type Issue } from '../../src/domain/issue.ts'
import type { PipeState } from '../../src/domain/pipe/types.ts'
import type { ServiceState } from '../../src/domain/service/types.ts'
import type { TableDescription } from '../../src/domain/source/types.ts'
import { createAbsentEngine } from '../../src/engine/absent.ts'
import type { BackupRuntime } from '../../src/engine/backup.ts'
import { newHexId } from '../../src/lib/ids.ts'
import type { Claim } from '../../src/lib/work-queue.ts'
import type { PipeChecks } from '../../src/pipes/checks.ts'
import type { Queries } from '../../src/queries/queries.ts'
import { createServer } from '../../src/server.ts'
import type { TableReader } from '../../src/sources/tables.ts'
import type { Statements } from '../../src/statements/statements.ts'
import type { Store } from '../../src/store/store.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { fakeRejected } from './fake-rejected.ts'
import { createManualClock, type ManualClock } from './manual-clock.ts'
import {
  alertBody,
  alertDashboard,
  bucketBody,
  type Ids,
  type Preparations,
  pipeBodies,
  sourceService,
} from './samples.ts'
import { basic, type Answer as ServerAnswer } from './server.ts'
import { addService } from './store-records.ts'

export interface Answer extends ServerAnswer {
  /** The body before it was parsed. */
  text: string
}

export interface Credentials {
  organizationId: string
  /** Ready `Authorization` headers. */
  management: string
  dashboard: string
}

export interface CallOptions {
  ids?: Partial<Ids>
  body?: unknown
  /** Sent as it is, in place of `body`. */
  payload?: string | Buffer
  query?: string
  /** Empty sends no credentials. */
  authorization?: string
  method?: string
  headers?: Record<string, string>
}

/**
 * The whole server in this process, without a socket and without loops: only requests and the test change
 * anything, and time stands still. Other tests cover real sockets and real loops.
 */
export interface World extends Preparations {
  app: FastifyInstance
  store: Store
  clock: ManualClock
  dataDir: string
  main: Credentials
  /** Credentials of another organization on the same server. */
  other: Credentials
  /** One existing resource of each kind, all of the main organization. */
  ids: Ids
  /** Calls an operation by its id, as the admin of the main organization. */
  call(id: OperationId, options?: CallOptions): Promise<Answer>
  /** Calls a path of the main organization: `/services` is `/v1/organizations/<id>/services`. */
  api(method: string, path: string, body?: unknown, authorization?: string): Promise<Answer>
  raw(method: string, url: string, options?: CallOptions): Promise<Answer>
  /** Writes the state that a loop would have observed. */
  setServiceState(serviceId: string, state: ServiceState): Promise<void>
  setPipeState(pipeId: string, state: PipeState): Promise<void>
  saveBackup(backupId: string, change: Partial<BackupRecord>): Promise<void>
  close(): Promise<void>
}

export async function createWorld(
  options: {
    env?: Record<string, string>
    empty?: boolean
    /** The result of testing a bucket; absent = every bucket works, null = no engine can test it. */
    tryLocation?: BackupRuntime['tryLocation'] | null
    /** Absent = every service has the table `default.logs`. */
    tables?: TableReader
    /** Absent = every source can be reached. */
    pipeChecks?: PipeChecks
  } = {},
): Promise<World> {
  const dataDir = mkdtempSync(join(tmpdir(), 'granary-world-'))
  const clock = createManualClock(Date.UTC(2030, 0, 1, 12))
  const open = (env: Record<string, string>) =>
    createServer(
      loadConfig({ GRANARY_DATA_DIR: dataDir, GRANARY_RATE_LIMIT: '1000000000', ...options.env, ...env }),
      {
        log: createLog({ level: 'silent', pretty: false }),
        version: 'test',
        clock,
        engine: createAbsentEngine(),
        tables: options.tables ?? logsOnly,
        queries: emptyAnswers,
        demo: { rows: 1_000, wake: () => undefined, progress: () => null },
        statements: emptyStatements,
        pipeChecks: options.pipeChecks ?? soundPipes,
        rejectedRecords: fakeRejected,
        ...(options.tryLocation === null ? {} : { backups: triesOnly(options.tryLocation) }),
      },
    )
  const firstStart = await open(environment(otherOrganization))
  await firstStart.stop()
  const server = await open(environment(mainOrganization))
  const { app, store } = server
  await app.ready()

  const raw: World['raw'] = async (method, url, given = {}) => {
    const { authorization = main.management, body, payload = body, headers = {} } = given
    const text = payload === undefined || typeof payload === 'string' || Buffer.isBuffer(payload)
    const response = await app.inject({
      // An answer of events has no end, so its reader leaves after the first piece.
      payloadAsStream: true,
      method: method as 'GET',
      url: url + (given.query ? `?${given.query}` : ''),
      headers: {
        ...(authorization === '' ? {} : { authorization }),
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload === undefined ? {} : { payload: text ? payload : JSON.stringify(payload) }),
    })
    return toAnswer(response, await read(response.stream(), response.headers['content-type']))
  }
  const api: World['api'] = (method, path, body, authorization = main.management) =>
    raw(method, `/v1/organizations/${main.organizationId}${path}`, { body, authorization })
  const made = async (method: string, path: string, body?: unknown) => {
    const answer = await api(method, path, body)
    if (answer.status !== 200) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
    return answer.body.result
  }

  /** Runs `write` under the lease of a resource's work, as a loop would. */
  async function asLoop(kind: string, id: string, write: (claim: Claim) => Promise<boolean>): Promise<void> {
    const claims = await store.work.claim({ owner: 'test', kinds: [kind], limit: 100_000, leaseMs: 60_000 })
    const claim = claims.find((candidate) => candidate.id === id)
    if (!claim || !(await write(claim))) throw new Error(`the status of ${kind} ${id} could not be written`)
    for (const each of claims) await store.work.settle(each, { dueInMs: 0, attempts: 0, reason: '' })
  }

  const world: World = {
    app,
    store,
    clock,
    dataDir,
    main,
    other,
    ids: {} as Ids,
    raw,
    api,
    call(id, given = {}) {
      const { method, path } = operation(id)
      const authorization = isDashboardOperation(id) ? main.dashboard : main.management
      return raw(given.method ?? method, pathOf({ path }, { ...world.ids, ...given.ids }), {
        authorization,
        ...given,
      })
    },
    async newService() {
      return (await made('POST', '/services', { name: 'a service' })).service.id
    },
    async newStoppedService() {
      const id = await world.newService()
      await made('PATCH', `/services/${id}/state`, { command: 'stop' })
      await world.setServiceState(id, 'stopped')
      return id
    },
    async newRestoredService() {
      const { backupId } = await world.newFinishedBackup()
      return (await made('POST', '/services', { name: 'restored', backupId })).service.id
    },
    async newUser() {
      const body = { name: `user_${newHexId(clock.now())}` }
      return (await made('POST', `/services/${world.ids.serviceId}/users`, body)).user.id
    },
    newPipe: async () => (await made('POST', `/services/${world.ids.serviceId}/pipes`, pipeBodies.kafka)).id,
    newKey: async () => (await made('POST', '/keys', { name: 'a key', roles: ['developer'] })).key.id,
    newSession: async () =>
      resultOf(await world.call('session.create', { ...{ authorization: '' }, body: signIn })).id,
    async newDashboard() {
      return (await world.call('dashboards.create', { body: dashboardBody })).body.data.id
    },
    async newSource() {
      const name = `source ${newHexId(clock.now())} of a test`
      const body = { name, serviceId: sourceService, table: 'logs' }
      return (await world.call('sources.create', { body })).body.data.id
    },
    newAlert: async () => (await world.call('alerts.create', { body: alertBody })).body.data.id,
    newNamedQuery: async () => (await made('POST', '/queries', { name: 'a query', text: 'SELECT 1' })).id,
    async newFinishedBackup(of) {
      const serviceId = of ?? (await world.newService())
      const { id: backupId } = await made('POST', `/services/${serviceId}/backups`)
      await world.saveBackup(backupId, { status: 'done', finishedAtMs: clock.now() })
      return { serviceId, backupId }
    },
    async newBucket() {
      const serviceId = await world.newService()
      await made('POST', `/services/${serviceId}/backupBucket`, bucketBody)
      return serviceId
    },
    async setServiceState(serviceId, state) {
      await asLoop('service', serviceId, async (claim) => {
        const service = await store.services.find(serviceId)
        if (!service) return false
        const status = { ...service.status, state, provisioned: true, dbVersion: '26.7' }
        return store.services.saveStatus(service, status, claim)
      })
    },
    async setPipeState(pipeId, state) {
      await asLoop('pipe', pipeId, async (claim) => {
        const pipe = await store.pipes.find(pipeId)
        return pipe !== null && store.pipes.saveStatus(pipe, { ...pipe.status, state }, claim)
      })
    },
    async saveBackup(backupId, change) {
      await asLoop('backup', backupId, async (claim) => {
        const backup = await store.backups.find(backupId)
        return backup !== null && store.backups.save({ ...backup, ...change }, claim)
      })
    },
    async close() {
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  world.ids.organizationId = main.organizationId
  if (!options.empty) await fill(world, made)
  return world
}

async function fill(
  world: World,
  made: (method: string, path: string, body?: unknown) => Promise<{ id: string }>,
) {
  const { ids } = world
  ids.serviceId = await world.newService()
  ids.userId = await world.newUser()
  ids.pipeId = await world.newPipe()
  ids.backupId = (await world.newFinishedBackup(ids.serviceId)).backupId
  await made('POST', `/services/${ids.serviceId}/backupBucket`, bucketBody)
  ids.keyId = await world.newKey()
  ids.sessionId = await world.newSession()
  ids.namedQueryId = await world.newNamedQuery()
  ids.dashboardId = await world.newDashboard()
  const dashboard = await world.call('dashboards.get', { ids })
  ids.tileId = dashboard.body.data.tiles[0].id
  ids.name = 'a_variable'
  await addService(world.store, ids.organizationId, { id: sourceService })
  ids.sourceId = await world.newSource()
  await world.store.dashboards.insert(ids.organizationId, alertDashboard, world.clock.now())
  ids.alertId = await world.newAlert()
  ids.version = '1'
  ids.queryId = runningQuery
  ids.quotaCode = 'services-per-organization'
  ids.activityId = (await world.call('activities.list')).body.result[0].id
}

const dashboardBody = {
  name: 'a dashboard',
  tiles: [{ name: 'text', x: 0, y: 0, w: 6, h: 3, series: [{ type: 'markdown' }] }],
  variables: [{ name: 'a_variable', kind: 'list', values: ['a'] }],
}

/** No table has a row here. */
const runningQuery = 'a8d3c1f2-0b4e-4c6d-9e8f-7a6b5c4d3e2f'
const emptyStatements: Statements = {
  async *run({ queryId }) {
    yield JSON.stringify({
      ...{ kind: 'done', rows: 0, isTruncated: false, elapsedMs: 0, readRows: 0, readBytes: 0 },
      ...{ writtenRows: 0, queryId },
    })
  },
  export: async () => ({ type: 'text/csv', fileName: 'query.csv', bytes: (async function* () {})() }),
  async cancel({ queryId }) {
    if (queryId !== runningQuery) throw notFound('query')
  },
}

const emptyAnswers: Queries = {
  ask: async ({ type, span }) => ({
    data: [],
    meta: {
      ...{ type, startTime: span.startMs, endTime: span.endMs, where: [], sql: [], woken: false },
      stats: { elapsedMs: 0, rowsRead: 0, bytesRead: 0, cached: false },
    },
  }),
  values: async () => [],
  checkWhere: async () => ({ english: '', errors: [] }),
}

const logs: TableDescription = {
  ...{ database: 'default', table: 'logs', sortingKey: ['ts'] },
  columns: [
    { name: 'ts', type: 'DateTime' },
    { name: 'body', type: 'String' },
    { name: 'Severity', type: 'LowCardinality(String)' },
  ],
}
const logsOnly: TableReader = {
  describe: async (_, { database, table }) => (`${database}.${table}` === 'default.logs' ? logs : null),
  list: async () => [logs],
  databases: async () => ['default'],
  tables: async () => ['logs'],
}

/** Without loops, the only call to the backup runtime is the test of a bucket. */
function triesOnly(tryLocation: BackupRuntime['tryLocation'] = async () => {}): BackupRuntime {
  const unasked = () => assert.fail('nobody makes backups here')
  return {
    apply: unasked,
    observe: unasked,
    onEnd: () => () => {},
    cancel: unasked,
    verify: unasked,
    forgetVerification: unasked,
    remove: unasked,
    tryLocation,
    close: async () => {},
  }
}

/** The path of an operation with its parameters filled in. */
export const pathOf = ({ path }: Pick<Operation, 'path'>, ids: Partial<Ids>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: keyof Ids) => encodeURIComponent(ids[name] ?? ''))

/** Fails unless the answer is a 400 with exactly these issues, each as `place: code`, in any order. */
export function assertInvalid(answer: Answer, ...wrong: string[]): void {
  assert.equal(answer.status, 400, answer.text)
  const told = answer.body.issues.map(({ path, code }: Issue) => `${formatPath(path)}: ${code}`)
  assert.deepEqual(told.sort(), wrong.sort(), answer.text)
}

/** The result (or, of the dashboard API, the data) of an answer that must have succeeded. */
export function resultOf(answer: Answer): Answer['body'] {
  assert.equal(answer.status, 200, answer.text)
  return 'result' in answer.body ? answer.body.result : answer.body.data
}

/** Fails unless the answer has this status and, in the management API, this code. */
export function assertRefused(answer: Answer, status: number, code: string): void {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.body.code, code)
}

export const bearer = (token: string): string => `Bearer ${token}`

/** Creates a key of the main organization through the API; returns its id and the header that uses it. */
export async function makeKey(
  world: World,
  body: Record<string, unknown>,
): Promise<{ id: string; authorization: string }> {
  const {
    status,
    body: answer,
    text,
  } = await world.api('POST', '/keys', { name: 'made for a test', ...body })
  if (status !== 200) throw new Error(text)
  const { key, keyId, keySecret, token } = answer.result
  return { id: key.id, authorization: token ? bearer(token) : basic({ keyId, keySecret }) }
}

async function read(stream: Readable, type: unknown): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of stream) {
    pieces.push(piece as Buffer)
    if (String(type).startsWith('text/event-stream')) break
  }
  return Buffer.concat(pieces).toString()
}

function toAnswer(
  response: { statusCode: number; headers: Record<string, number | string | string[] | undefined> },
  text: string,
): Answer {
  const headers = new Headers()
  for (const [name, value] of Object.entries(response.headers)) headers.set(name, String(value))
  const isJson = headers.get('content-type')?.startsWith('application/json') && text !== ''
  return { status: response.statusCode, headers, body: isJson ? JSON.parse(text) : text, text }
}

const mainOrganization = {
  id: '11111111-1111-4111-8111-111111111111',
  keyId: 'mainKey',
  keySecret: 'main-secret-0123',
  token: 'main-token-01234',
}
const signIn = { keyId: mainOrganization.keyId, keySecret: mainOrganization.keySecret }
const otherOrganization = {
  id: '22222222-2222-4222-8222-222222222222',
  keyId: 'otherKey',
  keySecret: 'other-secret-012',
  token: 'other-token-0123',
}

const environment = ({ id, keyId, keySecret, token }: typeof mainOrganization) => ({
  GRANARY_ORGANIZATION_ID: id,
  GRANARY_ADMIN_KEY: `${keyId}:${keySecret}`,
  GRANARY_DASHBOARD_TOKEN: token,
})

const credentials = ({ id, keyId, keySecret, token }: typeof mainOrganization): Credentials => ({
  organizationId: id,
  management: basic({ keyId, keySecret }),
  dashboard: bearer(token),
})
const main = credentials(mainOrganization)
const other = credentials(otherOrganization)

const soundPipes: PipeChecks = {
  check: async () => ({ issues: [] }),
  discover: async () => ({ fields: [{ name: 'id', type: 'Int64' }], records: [['1']] }),
}

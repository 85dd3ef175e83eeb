import { once } from 'node:events'
import { type IncomingMessage, type RequestOptions, request } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { EndpointAccess } from '../../src/domain/service/endpoint.ts'
import type { UserRole } from '../../src/domain/service/user.ts'
import type { EngineObservation, ReplicaObservation } from '../../src/engine/engine.ts'
import { createGateway, type Gateway, type GatewayOptions } from '../../src/gateway/gateway.ts'
import { createManualClock, type ManualClock } from './manual-clock.ts'
import type { PlainReplica } from './plain-replica.ts'
import { createRecordingLog } from './recording-log.ts'

/** A gateway in front of fake services, on a clock that the test sets. */
export interface GatewayRig {
  gateway: Gateway
  clock: ManualClock
  log: ReturnType<typeof createRecordingLog>
  services: Map<string, FakeService>
  /** How often each lookup was made, by name. */
  lookups: Record<'access' | 'verifyPassword' | 'wake' | 'observe', number>
  /** Called by a wake; by default does nothing. */
  onWake: (service: FakeService) => void | Promise<void>
  /** Adds a service and opens its endpoint. */
  add(serviceId: string, options?: Partial<FakeService>): Promise<FakeService>
  [Symbol.asyncDispose](): Promise<void>
}

export interface FakeService {
  access: EndpointAccess
  power: EngineObservation['power']
  problem: EngineObservation['problem']
  replicas: ReplicaObservation[]
  users: Map<string, { password: string; role: UserRole }>
  port: number
}

export async function startGatewayRig(options: Partial<GatewayOptions> = {}): Promise<GatewayRig> {
  const clock = createManualClock(1_000_000)
  const log = createRecordingLog()
  const services = new Map<string, FakeService>()
  const lookups = { access: 0, verifyPassword: 0, wake: 0, observe: 0 }
  const gateway = createGateway({
    host: '127.0.0.1',
    clock,
    log,
    drainMs: 1_000,
    lookups: {
      async access(serviceId) {
        lookups.access += 1
        return services.get(serviceId)?.access ?? null
      },
      async verifyPassword(serviceId, name, password) {
        lookups.verifyPassword += 1
        const user = services.get(serviceId)?.users.get(name)
        return user && user.password === password ? { role: user.role } : null
      },
      async wake(serviceId) {
        lookups.wake += 1
        const service = services.get(serviceId)
        if (service) await rig.onWake(service)
      },
      async observe(serviceId) {
        lookups.observe += 1
        const service = services.get(serviceId)
        if (!service) throw new Error('the engine cannot tell')
        const { power, problem, replicas } = service
        return { ...nothingObserved, power, problem, replicas: structuredClone(replicas) }
      },
      wakeEstimateMs: () => 400,
      readerLagMs: () => 1_500,
    },
    ...options,
  })
  const rig: GatewayRig = {
    gateway,
    clock,
    log,
    services,
    lookups,
    onWake: () => {},
    async add(serviceId, service = {}) {
      const made: FakeService = {
        access: accessOf(serviceId),
        power: 'on',
        problem: null,
        replicas: [],
        users: new Map([['default', { password: 'secret', role: 'readWrite' }]]),
        port: 0,
        ...service,
      }
      services.set(serviceId, made)
      made.port = (await gateway.open({ serviceId, port: 0 })).port
      return made
    },
    async [Symbol.asyncDispose]() {
      const stopped = gateway.stop(0)
      await clock.advance(1)
      await stopped
    },
  }
  return rig
}

export const accessOf = (serviceId: string, access: Partial<EndpointAccess> = {}): EndpointAccess => ({
  serviceId,
  warehouseId: 'warehouse',
  isPrimary: true,
  primaryServiceId: serviceId,
  state: 'running',
  power: 'on',
  asleep: false,
  readOnly: false,
  ipAccessList: [{ source: '0.0.0.0/0' }, { source: '::/0' }],
  ...access,
})

export const observed = (
  id: string,
  { address }: Pick<PlainReplica, 'address'>,
  replica: Partial<ReplicaObservation> = {},
): ReplicaObservation => ({
  id,
  role: replica.canWrite ? 'writer' : 'reader',
  address,
  canRead: true,
  canWrite: false,
  memoryBytes: 0,
  version: '',
  startedAtMs: 1,
  restarts: 0,
  usage: noUsage,
  ...replica,
})

export const writer = (id: string, replica: Pick<PlainReplica, 'address'>): ReplicaObservation =>
  observed(id, replica, { canWrite: true })

export interface Answer {
  status: number
  headers: IncomingMessage['headers']
  text: string
}

export type AskOptions = Omit<RequestOptions, 'headers'> & {
  headers?: Record<string, string>
  body?: string | Buffer
  /** The password of `default` for Basic authentication; null = no credentials. */
  password?: string | null
}

/** Sends a request to an endpoint and reads the whole answer. Rejects when the connection breaks. */
export async function ask(port: number, options: AskOptions | string = {}): Promise<Answer> {
  const {
    body,
    password = 'secret',
    headers = {},
    ...more
  } = typeof options === 'string' ? { body: options } : options
  const authorization = `Basic ${Buffer.from(`default:${password}`).toString('base64')}`
  const sent = request({
    host: '127.0.0.1',
    port,
    path: '/',
    method: body === undefined ? 'GET' : 'POST',
    agent: false,
    headers: { ...(password === null ? {} : { authorization }), ...headers },
    ...more,
  })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: Buffer.concat(chunks).toString(),
  }
}

/** Lets time pass until the work is done. */
export async function passing<T>({ clock }: GatewayRig, work: Promise<T>): Promise<T> {
  let isDone = false
  const done = () => {
    isDone = true
  }
  work.then(done, done)
  while (!isDone) {
    await clock.advance(10)
    await setImmediate()
  }
  return work
}

/** Lets pending socket I/O run until `isTrue`; the time limit is that of the test. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await setImmediate()
}

const noUsage: ReplicaObservation['usage'] = {
  residentBytes: 0,
  peakQueryBytes: 0,
  peakResidentBytes: 0,
  cpuSeconds: 0,
  runningQueries: 0,
  queries: 0,
  failedQueries: 0,
  outOfMemory: 0,
  rowsRead: 0,
  bytesRead: 0,
  rowsWritten: 0,
  bytesWritten: 0,
}

const nothingObserved: EngineObservation = {
  acceptedGeneration: 1,
  settledGeneration: 1,
  power: 'on',
  replicas: [],
  version: '',
  problem: null,
  progress: '',
  busy: { merges: 0, mutations: 0, backups: 0, queries: 0 },
  storage: { parts: 0, usedBytes: 0 },
}

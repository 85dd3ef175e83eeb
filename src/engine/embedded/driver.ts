import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { namesIn } from '../../lib/durable-file.ts'
import { type EgressList, readEgressList } from '../../lib/egress/list.ts'
import { endsWithin, type Log } from '../../lib/running.ts'
import { createSlots } from '../../lib/slots.ts'
import type { Isolation } from '../../process/confine/isolation.ts'
import { discover } from '../../process/supervise/discover.ts'
import { createReserve } from '../../process/supervise/reserve.ts'
import { createSpares } from '../../process/supervise/spares.ts'
import { createSupervisor } from '../../process/supervise/supervisor.ts'
import type { BackupRuntime } from '../backup.ts'
import type { Engine, EngineObservation, EngineRef } from '../engine.ts'
import { readAccepted } from './accepted.ts'
import { createEmbeddedBackups } from './backup/backups.ts'
import type { LocateBackup } from './backup/restore.ts'
import { createRightOfWay } from './backup/right-of-way.ts'
import { createYoungRestores } from './backup/young-restores.ts'
import { lockDataDir } from './data-dir-lock.ts'
import { openLayout } from './layout.ts'
import { type Limits, limitsFor } from './limits.ts'
import { absent } from './observation.ts'
import { isName } from './protocol.ts'
import { createReplicaKind } from './replica-kind.ts'
import type { Runtime } from './runtime.ts'
import { embeddedDialect } from './sql-dialect.ts'
import { createTrash } from './trash.ts'
import { createWarehouse, type Warehouse } from './warehouse.ts'

export interface EmbeddedEngineOptions {
  dataDir: string
  runtime: Runtime
  clock: Clock
  log: Log
  /** A replica ends by itself when its control plane has been gone for this long. */
  orphanAfterMs?: number
  /** How long running queries may continue when their replica ends. */
  drainMs?: number
  limits?: Partial<Limits>
  /** How far the operating system must confine replicas; absent = as far as it can. */
  isolation?: Isolation
  /** Where SQL may connect to; absent = to public addresses. */
  egress?: EgressList
  /** Where backups may connect to; absent = to all but link-local addresses. */
  sourceEgress?: EgressList
  /** Only tests turn the SQL filter off. */
  filter?: 'on' | 'off'
  /** How many processes wait to become replicas, while there is a service that may need one; absent = none. */
  spares?: number
  /** Locates the backup that a service is restored from; absent = there are no backups. */
  locateBackup?: LocateBackup
  /** Called before each step with durable effects; tests crash the process there. */
  step?(name: string): void
}

export interface EmbeddedEngine extends Engine {
  backups: BackupRuntime
}

/** More concurrent starts only slow each other down. */
const maxStarts = Math.max(2, availableParallelism())

/**
 * Runs warehouses as processes on this machine. When it resolves, the processes of an earlier control plane
 * are adopted or ending, and the services that it had accepted are starting.
 */
export async function createEmbeddedEngine(options: EmbeddedEngineOptions): Promise<EmbeddedEngine> {
  const { dataDir, runtime, clock, log, step = () => {}, locateBackup = async () => null } = options
  const { orphanAfterMs, drainMs } = options
  const limits = limitsFor(runtime, {
    ...(orphanAfterMs === undefined ? {} : { orphanAfterMs }),
    ...(drainMs === undefined ? {} : { drainMs }),
    ...options.limits,
  })
  const protection = {
    isolation: options.isolation ?? 'preferred',
    egress: options.egress ?? readEgressList('public'),
    ...(options.filter === 'off' ? { trusted: { filter: 'off' as const } } : {}),
  }
  const sourceEgress = options.sourceEgress ?? readEgressList('private')
  const layout = await openLayout(dataDir)
  const lock = lockDataDir(layout.root, clock.now())
  const listeners = new Set<(ref: EngineRef) => void>()
  const trash = createTrash({ path: layout.trash, clock, log, deleted: announce, step })
  const starts = createSlots({ max: maxStarts, maxWaiting: Number.POSITIVE_INFINITY })
  const rightOfWay = createRightOfWay()
  const restores = createYoungRestores(rightOfWay, clock, () => spares.refill())
  const isQuiet = () => starts.taken + starts.waiting === 0 && !restores.any()
  const kind = createReplicaKind(runtime)
  const spares = createSpares({ path: layout.spares, kind, clock, log, isQuiet })
  const reserve = createReserve(layout.root)
  await reserve.refill()
  const supervisor = createSupervisor({ kind, clock, log, limits, spares, starts, reserve, step })
  const warehouses = new Map<string, Warehouse>()
  /** Services that run, or may run at any moment. */
  const inUse = new Set<string>()
  const backups = createEmbeddedBackups({
    ...{ backupsDir: layout.backups, egress: sourceEgress, clock, log, limits, rightOfWay },
    hostOf: ({ warehouseId }) => warehouses.get(warehouseId) ?? null,
  })
  let isClosed = false
  let closing: Promise<void> | undefined
  /** Aborts when everything that still runs must end at once. */
  const hurrying = new AbortController()

  function announce(ref: EngineRef): void {
    for (const listener of listeners) {
      try {
        listener(ref)
      } catch (error) {
        log.error({ err: error, ...ref }, 'a listener to changes of the engine failed')
      }
    }
  }

  function warehouseOf(id: string): Warehouse {
    const known = warehouses.get(id)
    if (known) return known
    const made = createWarehouse({
      id,
      layout,
      supervisor,
      trash,
      clock,
      log,
      limits,
      protection,
      sourceEgress,
      rightOfWay: restores.rightOfWay,
      locateBackup,
      announce,
      step,
    })
    warehouses.set(id, made)
    return made
  }

  try {
    await resume()
  } catch (error) {
    lock.release()
    throw error
  }

  return {
    kind: 'embedded',
    backups,
    capabilities: () => ({
      startEstimateMs: runtime.startEstimateMs,
      idle: true,
      wakeEstimateMs: runtime.startEstimateMs,
      sharedStorage: true,
      readerLagMs: 2_000,
    }),
    async apply(spec) {
      if (!isName(spec.serviceId) || !isName(spec.warehouseId)) {
        return {
          refused: 'the names of service and warehouse must be letters, digits, _ and -',
          retryable: false,
        }
      }
      if (isClosed) return { refused: 'the engine is closed', retryable: true }
      const result = await warehouseOf(spec.warehouseId).apply(spec)
      if ('accepted' in result) use(spec.serviceId, spec.power !== 'off')
      return result
    },
    observe: async (ref) => observe(ref),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async destroy(ref, data) {
      if (!isName(ref.serviceId) || !isName(ref.warehouseId)) return
      if (isClosed) throw new Error('the engine is closed')
      use(ref.serviceId, false)
      await warehouseOf(ref.warehouseId).destroy(ref, data)
    },
    adopt: async () => [
      ...[...warehouses.values()].flatMap((warehouse) => warehouse.refs()),
      ...trash.held(),
    ],
    sql: () => embeddedDialect,
    close(hurry) {
      isClosed = true
      if (hurry?.aborted) hurrying.abort()
      else hurry?.addEventListener('abort', () => hurrying.abort(), { once: true })
      closing ??= close()
      return closing
    },
  }

  function use(serviceId: string, isUsed: boolean): void {
    if (isUsed) inUse.add(serviceId)
    else inUse.delete(serviceId)
    spares.keep(inUse.size > 0 ? (options.spares ?? 0) : 0)
  }

  async function resume(): Promise<void> {
    await trash.resume()
    const isOurs = (workDir: string) =>
      layout.parseWorkDir(workDir) !== null || dirname(workDir) === layout.spares
    const discovery = await discover({ kind, isOurs, timeoutMs: limits.statusTimeoutMs, log })
    const ids = (await namesIn(layout.root)).filter(isName)
    const all = await Promise.all(
      ids.map(async (id) => {
        const accepted = await readAccepted(layout, id, log)
        return { id, accepted, found: await discovery.workersIn(layout.replicas(id)) }
      }),
    )
    // Strays end before anything starts, because a stray may hold data that a new process opens.
    await discovery.endStrays()
    await rm(layout.spares, { recursive: true, force: true })
    const sockets = new Set(all.flatMap(({ found }) => found.map(({ spec }) => spec.socketPath)))
    for (const name of await namesIn(layout.socketDir)) {
      const path = join(layout.socketDir, name)
      if (!sockets.has(path)) await rm(path, { force: true })
    }
    const rooms = new Set(all.flatMap(({ found }) => found.map(({ spec }) => spec.backupsDir)))
    for (const name of await namesIn(layout.jobs)) {
      const path = join(layout.jobs, name)
      if (!rooms.has(path)) await rm(path, { recursive: true, force: true })
    }
    for (const { id, accepted, found } of all) {
      if (accepted.length + found.length > 0) warehouseOf(id).resume(accepted, found)
      // The control plane was interrupted before it accepted a service: nothing ever ran in this warehouse.
      else if (!existsSync(layout.data(id))) await rm(layout.warehouse(id), { recursive: true, force: true })
    }
    for (const { spec, removing } of all.flatMap(({ accepted }) => accepted))
      use(spec.serviceId, spec.power !== 'off' && !removing)
  }

  function observe({ serviceId, warehouseId }: EngineRef): EngineObservation {
    const observed = warehouses.get(warehouseId)?.observe(serviceId)
    if (observed) return observed
    if (!trash.held().some((ref) => ref.serviceId === serviceId)) return absent
    const code = trash.problemOf(serviceId)
    const problem = code ? { message: `its files cannot be deleted: ${code}`, retryable: true } : null
    return { ...absent, power: 'turning_off', progress: 'its files are being deleted', problem }
  }

  async function close(): Promise<void> {
    await within(limits.closeMs, backups.close())
    const all = [...warehouses.values()]
    const ends = Promise.all(all.map((warehouse) => warehouse.close()))
    await within(limits.closeMs, ends)
    // No process survives a kill, so this step has no time limit: it ends when the last process is gone.
    await Promise.all(all.map((warehouse) => warehouse.kill()))
    await within(limits.endGraceMs, ends)
    await spares.close()
    await within(limits.closeMs, trash.close())
    await rm(layout.socketDir, { recursive: true, force: true }).catch(() => undefined)
    lock.release()
  }

  async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
    await endsWithin(clock, limitMs, work, hurrying.signal).catch((error: unknown) => {
      log.error({ err: error }, 'a part of the engine did not end well')
    })
  }
}

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { BackupRecord } from '../../src/domain/backup/types.ts'
import type { ServiceRecord, ServiceStatus } from '../../src/domain/service/types.ts'
import type { BackupLocation, BackupLocations, BackupRuntime } from '../../src/engine/backup.ts'
import { createBackupLoop } from '../../src/reconcile/backup/loop.ts'
import { createBackupScheduleLoop } from '../../src/reconcile/backup/schedule.ts'
import { createDriver, type Driver } from '../../src/reconcile/driver.ts'
import { createFakeBackups, type FakeBackups } from './fake-backups.ts'
import { createLoopRig, type LoopRig } from './loop-rig.ts'
import { addOrganization, addService, backupOf, serviceOf } from './store-records.ts'

const bucketLocation = {
  kind: 's3',
  url: 'https://s3.test/bucket/',
  accessKeyId: 'key',
  secretAccessKey: 'secret',
  roleArn: 'arn:role',
  roleSessionName: 'session',
} as const satisfies BackupLocation

/** Locations that a test can change: `local`, and one bucket with the id `bucket`. */
export interface FakeLocations extends BackupLocations {
  now: string
}

/** One provisioned service, and the backup loops on a fake runtime; processes can be killed and started again. */
export interface BackupRig extends LoopRig {
  service: ServiceRecord
  locations: FakeLocations
  /** The runtime of the current process. */
  runtime(): FakeBackups
  /** Starts a process: a driver with its own runtime, on the disk of the previous process. */
  boot(parts?: {
    runtime?: BackupRuntime | null
    timeScale?: number
    atOnce?: number
    /** The process dies at this call of the store or the runtime: before the call, or before its answer arrives. */
    dies?: { atCall: number; when: 'before' | 'after' }
  }): void
  /** Whether the process died at the call that `dies` names. */
  died(): boolean
  /** How often loops of this kind ran in the current process. */
  runs(kind: string): number
  /** Ends the process as kill -9 does: it writes nothing more, and its leases expire. */
  kill(): Promise<void>
  ask(over?: Partial<BackupRecord>): Promise<BackupRecord>
  read(id: string): Promise<BackupRecord>
  list(): Promise<BackupRecord[]>
  /** Items of the backup loop in the queue. */
  backupsQueued(): Promise<string[]>
  newService(): Promise<ServiceRecord>
}

const ran: Partial<ServiceStatus> = { state: 'running', provisioned: true }

export async function createBackupRig(t: TestContext): Promise<BackupRig> {
  const rig = await createLoopRig(t)
  const { store, clock, log } = rig
  const { id: organizationId } = await addOrganization(store)
  const newService = () => {
    const { status } = serviceOf(organizationId)
    return addService(store, organizationId, { status: { ...status, ...ran }, createdAtMs: clock.now() })
  }
  const service = await newService()
  const locations: FakeLocations = {
    now: 'local',
    current: async () => locations.now,
    resolve: async (place) =>
      place === 'local' ? { kind: 'local' } : place === 'bucket' ? bucketLocation : null,
  }
  let runtime = createFakeBackups({ clock })
  let process: { driver: Driver; stop: AbortController; ended: Promise<void>; life: Life } | null = null
  let boots = 0
  t.after(async () => {
    process?.stop.abort()
    await clock.advance(60_000)
    await process?.ended
  })

  return {
    ...rig,
    service,
    locations,
    newService,
    runtime: () => runtime,
    runs: (kind) => process?.driver.status()[kind]?.runs ?? 0,
    died: () => process?.life.ended === true,
    boot({ runtime: given, timeScale = 1, atOnce = 4, dies } = {}) {
      boots += 1
      if (boots > 1) runtime = createFakeBackups({ clock, disk: runtime.disk })
      const life: Life = { calls: 0, ended: false, ...(dies ? { dies } : {}) }
      const own = mortal(store, life)
      const wake = () => process?.driver.wake('backup')
      const used = given === undefined ? mortal(runtime, life) : given
      const loops = [
        createBackupLoop({ store: own, runtime: used, locations, clock, atOnce }),
        createBackupScheduleLoop({ store: own, locations, clock, wake, timeScale }),
      ]
      const backoff = { baseMs: 1_000, maxMs: 300_000, random: () => 1 }
      const owner = `process ${boots}`
      const driver = createDriver({ work: own.work, loops, clock, log, owner, backoff })
      const stop = new AbortController()
      process = { driver, stop, ended: driver.run(stop.signal), life }
    },
    async kill() {
      if (!process) return
      const { life, stop, ended } = process
      life.ended = true
      process = null
      stop.abort()
      await clock.advance(40_000)
      await ended
    },
    async ask(over = {}) {
      const backup = backupOf(service, { startedAtMs: clock.now(), ...over })
      await store.transaction((tx) => tx.backups.insert(backup))
      return backup
    },
    read: async (id) => (await store.backups.find(id)) ?? assert.fail('no such backup'),
    list: () => store.backups.list(service.id),
    backupsQueued: async () => (await rig.queued()).filter((item) => item.startsWith('backup/')),
  }
}

interface Life {
  calls: number
  ended: boolean
  dies?: { atCall: number; when: 'before' | 'after' }
}

/** An object of a process: once the process is dead, no call goes through and no answer arrives. */
function mortal<T extends object>(target: T, life: Life): T {
  const never = new Promise<never>(() => {})
  return new Proxy(target, {
    get(from, name) {
      const value: unknown = Reflect.get(from, name)
      if (typeof value !== 'function')
        return typeof value === 'object' && value !== null ? mortal(value, life) : value
      return (...parameters: unknown[]) => {
        if (life.ended) return never
        life.calls += 1
        const { dies } = life
        if (dies && life.calls >= dies.atCall) {
          life.ended = true
          if (dies.when === 'before') return never
          void Promise.resolve(value.apply(from, parameters)).catch(() => {})
          return never
        }
        const answer: unknown = value.apply(from, parameters)
        return answer instanceof Promise ? answer.then((kept) => (life.ended ? never : kept)) : answer
      }
    },
  })
}

import type {
  BackupLocation,
  BackupObservation,
  BackupProgress,
  BackupRuntime,
  BackupTask,
} from '../../src/engine/backup.ts'
import type { Clock } from '../../src/lib/clock.ts'

/** Files of one backup, which outlive the process that wrote them. */
export interface FakeFiles {
  place: string
  baseId: string | null
  whole: boolean
  damaged: boolean
}

export type FakeDisk = Map<string, FakeFiles>
export type BackupCall = 'apply' | 'observe' | 'cancel' | 'verify' | 'remove'

/** A runtime whose jobs take time, keep files on a disk, and can be told to fail. */
export interface FakeBackups extends BackupRuntime {
  /** Shared with the runtime of the next process. */
  disk: FakeDisk
  applied: BackupTask[]
  /** How long making a backup takes; `readMs`: reading it back. */
  makeMs: number
  readMs: number
  /** Why the next jobs fail half-way; '' = they succeed. */
  failure: string
  /** Runs before a call is carried out, and may throw. */
  before(call: BackupCall, backupId: string): void
  running(): string[]
}

interface Check {
  state: BackupObservation
  end: AbortController
}

const sizeInBytes = 1_000_000

export function createFakeBackups({
  clock,
  disk = new Map(),
}: {
  clock: Clock
  disk?: FakeDisk
}): FakeBackups {
  const tasks = new Map<string, { task: BackupTask; startedAtMs: number; failed: string }>()
  const checks = new Map<string, Check>()

  const fake: FakeBackups = {
    disk,
    applied: [],
    makeMs: 10_000,
    readMs: 5_000,
    failure: '',
    before: () => undefined,
    running: () => [...tasks].flatMap(([id]) => (stateOf(id).state === 'running' ? [id] : [])),
    async apply(task) {
      fake.before('apply', task.backupId)
      if (tasks.has(task.backupId)) return
      fake.applied.push(task)
      const { backupId, place, baseId } = task
      const failed = baseId !== null && !disk.get(baseId)?.whole ? `the base ${baseId} is not there` : ''
      tasks.set(backupId, { task, startedAtMs: clock.now(), failed })
      disk.set(backupId, { place: nameOf(place), baseId, whole: false, damaged: false })
    },
    async observe(backupId, job) {
      fake.before('observe', backupId)
      return job === 'verify' ? (checks.get(backupId)?.state ?? { state: 'absent' }) : stateOf(backupId)
    },
    async cancel(backupId, reason) {
      fake.before('cancel', backupId)
      const running = tasks.get(backupId)
      if (running && stateOf(backupId).state === 'running') running.failed = reason
    },
    async verify({ backupId }) {
      if (checks.has(backupId)) return
      const check: Check = {
        state: { state: 'running', progress: progressOf(0) },
        end: new AbortController(),
      }
      checks.set(backupId, check)
      void readBack(backupId, check).then((end) => {
        check.state = end
      })
    },
    forgetVerification(backupId) {
      checks.get(backupId)?.end.abort()
      checks.delete(backupId)
    },
    async remove(backupId, place) {
      fake.before('remove', backupId)
      const files = disk.get(backupId)
      if (files && files.place !== nameOf(place)) throw new Error('looked for at another place')
      disk.delete(backupId)
      tasks.delete(backupId)
    },
    // Sends no hints: loops must not rely on them.
    onEnd: () => () => {},
    tryLocation: async () => {},
    close: async () => {},
  }
  return fake

  function stateOf(backupId: string): BackupObservation {
    const running = tasks.get(backupId)
    if (!running) return { state: 'absent' }
    if (running.failed !== '') return { state: 'failed', reason: running.failed }
    const passed = (clock.now() - running.startedAtMs) / fake.makeMs
    if (passed >= 0.5 && fake.failure !== '') {
      running.failed = fake.failure
      return { state: 'failed', reason: running.failed }
    }
    if (passed < 1) return { state: 'running', progress: progressOf(passed) }
    const files = disk.get(backupId)
    if (files) files.whole = true
    return { state: 'done', sizeInBytes, files: 3 }
  }

  async function readBack(backupId: string, check: Check): Promise<BackupObservation> {
    const { signal } = check.end
    try {
      fake.before('verify', backupId)
      for (const part of [0, 0.5]) {
        check.state = { state: 'running', progress: progressOf(part) }
        await clock.sleep(fake.readMs / 2, signal)
        signal.throwIfAborted()
      }
      fake.before('verify', backupId)
      return verdictOf(backupId)
    } catch (error) {
      return { state: 'failed', reason: (error as Error).message }
    }
  }

  /** Reads the whole chain, as the real runtime does. */
  function verdictOf(backupId: string): BackupObservation {
    for (let id: string | null = backupId; id !== null; ) {
      const files: FakeFiles | undefined = disk.get(id)
      if (!files?.whole) return { state: 'damaged', reason: `${id}/.backup is not there` }
      if (files.damaged) return { state: 'damaged', reason: `${id}/data.bin is not what was written` }
      id = files.baseId
    }
    return { state: 'done', sizeInBytes, files: 3 }
  }
}

const nameOf = (place: BackupLocation): string => (place.kind === 'local' ? 'local' : place.url)

const progressOf = (part: number): BackupProgress => ({
  bytes: Math.floor(part * sizeInBytes),
  totalBytes: sizeInBytes,
  files: Math.floor(part * 3),
  totalFiles: 3,
})

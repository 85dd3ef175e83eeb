import type { RestoreProgress } from '../../domain/service/restore.ts'
import { failuresUntilProblem, type WorkerHistory } from '../../process/supervise/history.ts'
import type { EngineObservation, ReplicaObservation, ReplicaUsage } from '../engine.ts'
import type { Accepted } from './accepted.ts'
import { type ServiceWish, wishesOf } from './plan.ts'
import type { ReplicaProcess } from './replica-kind.ts'

/** The current state of a service. */
export interface ServiceView {
  accepted: Accepted
  settledGeneration: number
  /** The processes of this service, without those that only make or restore a backup. */
  processes: readonly ReplicaProcess[]
  /** Backups that are being made, whether or not the writer reports them yet. */
  backups: number
  /** The progress of the restore; null = there is none, or it is done. */
  restore: RestoreState | null
  historyOf(replicaId: string): WorkerHistory
  /** What the removal waits for; '' = only for the processes. */
  removal: string
  /** The newest known values of the warehouse: they outlast the processes that reported them. */
  version: string
  storage: EngineObservation['storage']
}

export interface RestoreState {
  numbers: RestoreProgress
  /** For a person. */
  progress: string
  problem: EngineObservation['problem']
}

export const nothingBusy: EngineObservation['busy'] = { merges: 0, mutations: 0, backups: 0, queries: 0 }

export const absent: EngineObservation = {
  acceptedGeneration: 0,
  settledGeneration: 0,
  power: 'absent',
  replicas: [],
  version: '',
  problem: null,
  progress: '',
  busy: nothingBusy,
  storage: { parts: 0, usedBytes: 0 },
}

export function observeService(view: ServiceView): EngineObservation {
  const { accepted, settledGeneration, version, storage } = view
  const replicas = replicasOf(view)
  return {
    acceptedGeneration: accepted.spec.generation,
    settledGeneration,
    power: powerOf(view, replicas),
    replicas,
    version,
    problem: problemOf(view, replicas),
    progress: progressOf(view, replicas),
    ...(view.restore ? { restore: view.restore.numbers } : {}),
    busy: busyOf(view),
    storage,
  }
}

function busyOf({ processes, backups }: ServiceView): EngineObservation['busy'] {
  const busy = processes.reduce((sum, { status }) => add(sum, status?.busy ?? nothingBusy), nothingBusy)
  return { ...busy, backups: Math.max(busy.backups, backups) }
}

function replicasOf({ accepted, processes, historyOf }: ServiceView): ReplicaObservation[] {
  const wishes = new Map(wishesOf([wishOf(accepted)]).map((wish) => [wish.replicaId, wish]))
  const ids = [...new Set([...wishes.keys(), ...processes.map(({ spec }) => spec.replicaId)])]
  return ids.sort(byIndex).map((id) => {
    const [best] = processes.filter(({ spec }) => spec.replicaId === id).sort(bestFirst)
    const { status = null, isReady = false } = best ?? {}
    const role = best?.spec.role ?? wishes.get(id)?.role ?? 'reader'
    return {
      id,
      role,
      address: best && status ? `unix:${best.spec.socketPath}` : '',
      canRead: isReady,
      canWrite: isReady && role === 'writer',
      memoryBytes: best?.spec.memoryBytes ?? wishes.get(id)?.memoryBytes ?? 0,
      version: status?.version ?? '',
      startedAtMs: status?.startedAtMs ?? 0,
      restarts: historyOf(id).restarts,
      ...(role === 'reader' ? { seesUntilMs: status?.seesUntilMs ?? 0 } : {}),
      usage: status?.usage ?? unused,
    }
  })
}

function powerOf(
  { accepted, processes }: ServiceView,
  replicas: ReplicaObservation[],
): EngineObservation['power'] {
  if (accepted.removing) return 'turning_off'
  const { power } = accepted.spec
  if (power !== 'on') return processes.length > 0 ? 'turning_off' : power
  return replicas.some(({ canRead }) => canRead) ? 'on' : 'turning_on'
}

function problemOf(
  { accepted, processes, historyOf, removal, restore }: ServiceView,
  replicas: ReplicaObservation[],
): EngineObservation['problem'] {
  const tell = (message: string) => ({ message, retryable: true })
  if (accepted.damaged) return tell('what was accepted for the service cannot be read; apply it again')
  if (accepted.removing) return removal.startsWith('fails') ? tell(`removing it ${removal}`) : null
  if (restore) return restore.problem
  for (const { id } of replicas) {
    const { failures, lastFailure } = historyOf(id)
    if (failures >= failuresUntilProblem) {
      return tell(`replica ${id} failed ${failures} times in a row; the last one ${lastFailure}`)
    }
  }
  for (const { spec, status, isReady } of processes) {
    if (isReady && status?.catalogError) {
      return tell(`replica ${spec.replicaId} does not follow the writer's tables: ${status.catalogError}`)
    }
  }
  return null
}

function progressOf(view: ServiceView, replicas: ReplicaObservation[]): string {
  const { accepted, processes, removal, restore } = view
  const { power, replicas: wanted, memoryBytesPerReplica } = accepted.spec
  const ending = processes.filter(({ phase }) => phase === 'ending').length
  if (accepted.removing) return processes.length > 0 ? `${counted(processes.length)} to be ended` : removal
  if (power !== 'on') return processes.length > 0 ? `${counted(processes.length)} to finish what runs` : ''
  if (restore) return restore.progress
  const ready = replicas.filter(({ canRead }) => canRead)
  if (ready.length < wanted) return `${ready.length} of ${wanted} replicas serve`
  const resized = ready.filter(({ memoryBytes }) => memoryBytes === memoryBytesPerReplica).length
  if (resized < wanted) return `${resized} of ${wanted} replicas have the new memory limit`
  return ending > 0 ? `${counted(ending)} to finish what runs` : ''
}

export const wishOf = ({ spec, removing }: Pick<Accepted, 'spec' | 'removing'>): ServiceWish => ({
  ...spec,
  removing: removing !== null,
  holdsWriter: false,
  restoring: false,
})

const unused: ReplicaUsage = {
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

const order = { serving: 1, starting: 2, ending: 3, gone: 4 }

/** Orders the processes of one replica: the one that should get statements comes first. */
function bestFirst(a: ReplicaProcess, b: ReplicaProcess): number {
  const rank = ({ isReady, phase }: ReplicaProcess) => (isReady ? 0 : order[phase])
  return rank(a) - rank(b) || b.spec.epoch - a.spec.epoch
}

const byIndex = (a: string, b: string): number => indexOf(a) - indexOf(b)
const indexOf = (replicaId: string): number => Number(replicaId.slice(replicaId.lastIndexOf('-') + 1))
const counted = (count: number): string => (count === 1 ? '1 replica has' : `${count} replicas have`)

function add(a: EngineObservation['busy'], b: EngineObservation['busy']): EngineObservation['busy'] {
  return {
    merges: a.merges + b.merges,
    mutations: a.mutations + b.mutations,
    backups: a.backups + b.backups,
    queries: a.queries + b.queries,
  }
}

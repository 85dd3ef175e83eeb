import type { PipeObservation } from '../../domain/pipe/decide.ts'
import type { LiveLane } from '../../domain/pipe/lane.ts'
import type { PipeRunStatus } from '../../domain/pipe/run-status.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/running.ts'
import type { PendingBatch, PipeRun } from '../../store/store.ts'
import type { Inserted } from '../destination.ts'
import type { SourceProgress } from '../source.ts'
import type { PipeLimits } from './limits.ts'
import { createPatience, type Patience } from './patience.ts'
import { createTally, type Tally } from './tally.ts'
import type { Move } from './token.ts'

type Observed = Extract<PipeObservation, { known: true }>

/** What one pipe does, as others see it. Every method that changes it tells the listener if something shows. */
export interface RunView {
  enter(state: Observed['state'], reason?: string): void
  /** The pipe is begun anew: earlier problems no longer count. */
  renew(): void
  /** The counters, as the journal has them. */
  load(run: PipeRun): void
  prepared(delivery: PipeRun['delivery']): void
  followed(moves: readonly Move[], isLost: boolean): void
  committed(batch: PendingBatch, inserted: Inserted): void
  /** How to find out which worker has which lane. */
  leases(held: () => { name: string; worker: number }[]): void
  lanes(): LiveLane[]
  reported(worker: number, progress: SourceProgress): void
  forget(worker: number): void
  /** Keeps the message as the last error. */
  failed(message: string): void
  readonly source: Patience
  readonly destination: Patience
  /** To be called after a change of `source` or `destination`. */
  changed(): void
  observed(): Pick<Observed, 'state' | 'reason'>
  /** Whether a worker reports that it waits for its source. */
  isWaiting(worker: number): boolean
  status(): PipeRunStatus
}

export interface RunViewOptions {
  pipeId: string
  limits: Pick<PipeLimits, 'source' | 'destination'>
  clock: Clock
  log: Log
  /** The source is loaded before it is followed, and its worker tells when. */
  isDatabase: boolean
  changed(): void
}

export function createRunView({
  pipeId,
  limits,
  clock,
  log,
  isDatabase,
  changed: tell,
}: RunViewOptions): RunView {
  const source = createPatience(limits.source, clock)
  const destination = createPatience(limits.destination, clock)
  const progress = new Map<number, SourceProgress>()
  const ends = new Map<string, { end: string; behindRecords: number }>()
  let held: () => { name: string; worker: number }[] = () => []
  let [state, reason]: [Observed['state'], string] = ['setup', '']
  let tally: Tally = createTally({ rows: 0, bytes: 0, rejected: 0 })
  let delivery: PipeRun['delivery'] = 'exactly_once'
  let lastError: PipeRunStatus['lastError'] = null
  /** Why all records of the newest batch were rejected; '' = some were not. */
  let rejection = ''
  let note = ''
  let pauseNote = ''
  /** A worker has told that it follows its source. */
  let hasFollowed = false
  let told = ''

  function observed(): Pick<Observed, 'state' | 'reason'> {
    const problem = destination.problem?.message ?? source.problem?.message ?? ''
    if (state === 'setup') return { state, reason: problem || reason }
    if (state !== 'running') return { state, reason }
    if (problem !== '') return { state: 'degraded', reason: problem }
    if (rejection !== '') return { state: 'degraded', reason: `every record is rejected: ${rejection}` }
    const loading = [...progress.values()].find((each) => each.loading !== undefined)?.loading
    if (loading !== undefined) return { state: 'snapshot', reason: loading }
    if (isDatabase && !hasFollowed) return { state: 'setup', reason: 'the source is being looked at' }
    return { state, reason: note }
  }

  function changed(): void {
    const shown = JSON.stringify(observed())
    if (shown === told) return
    told = shown
    tell()
  }

  function waiting(): string {
    const nextMs = destination.problem?.nextTryAtMs ?? source.problem?.nextTryAtMs ?? 0
    const seconds = Math.ceil((nextMs - clock.now()) / 1_000)
    if (seconds > 0) return `the next try, in ${seconds} s`
    return [...progress.values()].find((each) => each.waiting !== '')?.waiting ?? ''
  }

  return {
    ...{ source, destination, changed, observed },
    enter(next, why = '') {
      state = next
      reason = why || (next === 'stopped' ? pauseNote : '')
      if (next === 'setup') hasFollowed = false
      changed()
    },
    renew() {
      source.worked()
      destination.worked()
      rejection = ''
      note = ''
    },
    load(run) {
      tally = createTally(run)
      delivery = run.delivery
    },
    prepared(guarantee) {
      delivery = guarantee
    },
    followed(moves, isLost) {
      if (!isLost && moves.length === 0) return
      note = isLost ? lostText : movedText(moves)
      log.warn({ pipeId, lanes: moves.map(({ lane }) => lane.name) }, note)
    },
    committed({ sourceBytes: bytes }, { rows, rejected, sampleReason }) {
      tally.add({ rows, bytes, rejected }, clock.now())
      rejection = rows === 0 && rejected > 0 ? sampleReason : ''
      source.worked()
      if (rejected > 0) lastError = { atMs: clock.now(), message: `rejected a record: ${sampleReason}` }
      changed()
    },
    leases(read) {
      held = read
    },
    lanes: () =>
      held().map((lane) => ({ ...lane, ...(ends.get(lane.name) ?? { end: null, behindRecords: null }) })),
    reported(worker, next) {
      progress.set(worker, next)
      for (const { name, end, behindRecords } of next.lanes ?? []) ends.set(name, { end, behindRecords })
      if (next.pauseNote !== undefined) pauseNote = next.pauseNote
      if (next.loading === undefined) hasFollowed = true
      changed()
    },
    forget: (worker) => void progress.delete(worker),
    isWaiting: (worker) => (progress.get(worker)?.waiting ?? '') !== '',
    failed(message) {
      lastError = { atMs: clock.now(), message }
    },
    status: () => ({
      phase: phases[observed().state],
      ...tally.totals(),
      ...tally.rates(clock.now()),
      lag: {
        records: combine(
          progress,
          ({ lag }) => lag.records,
          (a, b) => a + b,
        ),
        ms: combine(progress, ({ lag }) => lag.ms, Math.max),
      },
      lastError,
      delivery,
      waiting: waiting(),
      facts: Object.assign({}, ...[...progress.values()].map(({ facts }) => facts)),
    }),
  }
}

const phases: Record<Observed['state'], PipeRunStatus['phase']> = {
  ...{ absent: 'stopped', setup: 'setup', snapshot: 'snapshot', running: 'streaming', degraded: 'streaming' },
  ...{ stopping: 'draining', stopped: 'stopped', completed: 'stopped', failed: 'stopped' },
}

const lostText =
  'the service no longer knows which batches it holds (granary_pipes.commits): the pipe goes on where it was'

function movedText(moves: readonly Move[]): string {
  const back = moves.filter(({ direction }) => direction === 'back').length
  const parts = [
    ...(back > 0 ? [`${back} lanes were set back, because the warehouse holds less than the journal`] : []),
    ...(back < moves.length
      ? [`${moves.length - back} lanes were set forward, because the warehouse holds more than the journal`]
      : []),
  ]
  return parts.join('; ')
}

/** Null = no worker tells. */
function combine(
  progress: ReadonlyMap<number, SourceProgress>,
  read: (each: SourceProgress) => number | null,
  join: (a: number, b: number) => number,
): number | null {
  const told = [...progress.values()].map(read).filter((each) => each !== null)
  return told.length === 0 ? null : told.reduce(join)
}

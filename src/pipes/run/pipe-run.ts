import { setTimeout } from 'node:timers/promises'
import type { PipeObservation } from '../../domain/pipe/decide.ts'
import type { LiveLane } from '../../domain/pipe/lane.ts'
import type { PipeRunStatus } from '../../domain/pipe/run-status.ts'
import { createHistories } from '../../process/supervise/history.ts'
import type { Destination } from '../destination.ts'
import { notRunnable } from '../runnable.ts'
import type { AppliedPipe } from '../runtime.ts'
import { type AttemptOptions, runAttempt } from './attempt.ts'
import { Interruption, journalled, PipeFailure } from './ends.ts'
import type { StartWorker } from './reading.ts'
import { createRunView, type RunView } from './run-view.ts'
import { sourcePipeOf } from './source-pipe.ts'

export interface PipeRunOptions
  extends Pick<AttemptOptions, 'store' | 'layout' | 'limits' | 'clock' | 'log' | 'nextEpoch'> {
  id: string
  openDestination(pipe: AppliedPipe): Destination
  /** Starts a worker of this pipe. */
  startFor(pipe: AppliedPipe): StartWorker
  changed(): void
}

/** One pipe in this process: it follows the newest spec that was applied, attempt after attempt. */
export interface RunningPipe {
  apply(pipe: AppliedPipe): void
  observe(): PipeObservation
  status(): PipeRunStatus
  lanes(): LiveLane[]
  /** Resolves when nothing of the pipe runs any more. It cannot be applied again. */
  end(drainMs: number, hurry?: AbortSignal): Promise<void>
}

export function createPipeRun(first: AppliedPipe, options: PipeRunOptions): RunningPipe {
  const { id, store, limits, clock, log } = options
  const isDatabase = first.spec.source.postgres !== undefined
  const view: RunView = createRunView({
    ...{ pipeId: id, limits, clock, log, isDatabase },
    changed: options.changed,
  })
  const histories = createHistories(limits.history)
  let wanted = first
  /** The spec that the pipe works by. */
  let current = first
  let change = new AbortController()
  let isOver = false
  let drainMs = limits.drainMs
  const hurried = new AbortController()
  const done = drive()

  return {
    apply(pipe) {
      if (pipe.generation < wanted.generation) return
      const isSame = sameWork(pipe, wanted) && !['failed', 'stopped'].includes(view.observed().state)
      wanted = pipe
      if (isSame) current = pipe
      else change.abort()
    },
    observe() {
      const { state, reason } = view.observed()
      // A changed pipe that runs keeps its state while it takes the change.
      const isTaking = current !== wanted && ['running', 'degraded', 'snapshot'].includes(state)
      const { generation } = isTaking ? wanted : current
      return { known: true, state, generation, reason }
    },
    status: () => view.status(),
    lanes: () => view.lanes(),
    async end(limitMs, hurry) {
      isOver = true
      drainMs = limitMs
      if (hurry?.aborted) hurried.abort()
      hurry?.addEventListener('abort', () => hurried.abort(), { once: true })
      change.abort()
      await done
    },
  }

  async function drive(): Promise<void> {
    // The caller has the pipe before its first change is told.
    await setTimeout(0)
    while (!isOver) {
      change = new AbortController()
      current = wanted
      try {
        await followOnce(current, change.signal)
      } catch (error) {
        const { message } = error as Error
        if (error instanceof PipeFailure) log.warn({ pipeId: id, reason: message }, 'a pipe gave up')
        else log.error({ err: error, pipeId: id }, 'a pipe failed')
        view.failed(message)
        view.enter('failed', message)
        await until(change.signal)
      }
    }
    view.enter('stopped')
  }

  /** Does what the spec says until it changes. */
  async function followOnce(pipe: AppliedPipe, changed: AbortSignal): Promise<void> {
    if (pipe.spec.desired === 'stopped') {
      const run = await store.pipeJournal.run(id).catch(() => null)
      if (run) view.load(run)
      view.enter('stopped')
      return until(changed)
    }
    view.renew()
    histories.forget(() => true)
    if (!['running', 'degraded', 'snapshot'].includes(view.observed().state))
      view.enter('setup', 'the pipe is being set up')
    while (!changed.aborted) {
      const end = await attempt(pipe, changed)
      if (end === null) {
        await until(changed)
      } else {
        await clock.sleep(end.retryInMs, changed)
      }
    }
    if (wanted.spec.desired === 'stopped' && !isOver) view.enter('stopped')
  }

  /** Null = the pipe has come to rest until its spec changes. */
  async function attempt(pipe: AppliedPipe, changed: AbortSignal): Promise<{ retryInMs: number } | null> {
    try {
      const run = await loadRun(pipe)
      view.load(run)
      if (run.completed && !isContinuous(pipe)) {
        view.enter('completed', completedText)
        return null
      }
      const missing = notRunnable(pipe.spec.source)
      if (missing !== '') throw new PipeFailure(missing)
      const stop = watchStop(changed)
      const outcome = await runAttempt({
        ...options,
        ...{ pipe, run, view, histories, stop, source: sourcePipeOf(pipe), drainMs: () => drainMs },
        hurry: hurried.signal,
        ...{ destination: options.openDestination(pipe), start: options.startFor(pipe) },
      })
      if (outcome === 'stopped') return null
      await journalled(() => store.pipeJournal.saveRun(id, { completed: true }))
      view.enter('completed', completedText)
      return null
    } catch (error) {
      if (!(error instanceof Interruption)) throw error
      log.warn({ err: error, pipeId: id }, 'a pipe is begun again from its journal')
      view.failed(error.message)
      const waitMs = error.retryInMs === 0 ? 0 : view.destination.failed(error.message)
      if (waitMs === null) throw error
      view.changed()
      return { retryInMs: waitMs }
    }
  }

  /** Shows at once that the pipe stops, if it does. */
  function watchStop(changed: AbortSignal): AbortSignal {
    const show = () => {
      if (wanted.spec.desired === 'stopped' || isOver) view.enter('stopping')
    }
    if (changed.aborted) show()
    else changed.addEventListener('abort', show, { once: true })
    return changed
  }

  async function loadRun({ spec }: AppliedPipe) {
    const known = await journalled(() => store.pipeJournal.run(id))
    if (known && known.resync >= spec.resyncCount) return known
    await journalled(() => store.transaction((tx) => tx.pipeJournal.restart(id, spec.resyncCount)))
    return (await journalled(() => store.pipeJournal.run(id))) ?? blankRun
  }
}

const blankRun = {
  ...{ resync: 0, rows: 0, bytes: 0, rejected: 0, preparedGeneration: 0, completed: false },
  delivery: 'exactly_once' as const,
}

const completedText = 'everything was loaded'

/** A table may have been added to a database pipe that was complete. */
const isContinuous = ({ spec: { source } }: AppliedPipe): boolean =>
  source.postgres !== undefined || (source.objectStorage?.isContinuous ?? false)

/** Whether a pipe with the one spec does the same as with the other. */
function sameWork(one: AppliedPipe, other: AppliedPipe): boolean {
  const work = ({ spec: { name: _, ...spec }, secrets }: AppliedPipe) => JSON.stringify([spec, secrets])
  return work(one) === work(other)
}

const until = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

import { rm } from 'node:fs/promises'
import type { Clock } from '../../lib/clock.ts'
import type { PeerMethods } from '../../lib/json-peer.ts'
import { endsWithin, type Log } from '../../lib/running.ts'
import type { Histories } from '../../process/supervise/history.ts'
import type { PipeRun, Store } from '../../store/store.ts'
import type { Destination, JournalledBatch } from '../destination.ts'
import type { AppliedPipe } from '../runtime.ts'
import type { SourcePipe, SourceProgress } from '../source.ts'
import type { CommitParams, MoveParams } from '../worker-protocol.ts'
import { Interruption, journalled, meaningOf, PipeFailure } from './ends.ts'
import { createLaneBook, type Holder } from './lane-book.ts'
import type { PipeLayout } from './layout.ts'
import type { PipeLimits } from './limits.ts'
import { createReading, type StartWorker } from './reading.ts'
import type { RunView } from './run-view.ts'

export interface AttemptOptions {
  pipe: AppliedPipe
  source: SourcePipe
  run: PipeRun
  store: Pick<Store, 'transaction' | 'pipeJournal'>
  destination: Destination
  layout: PipeLayout
  limits: PipeLimits
  clock: Clock
  log: Log
  view: RunView
  histories: Histories
  nextEpoch(): number
  start: StartWorker
  /** Ends the attempt. */
  stop: AbortSignal
  /** How long begun batches have to end. */
  drainMs(): number
  /** Begun batches have no more time. */
  hurry: AbortSignal
}

/**
 * Runs a pipe from what its journal holds until its source is read to its end, `stop` aborts, or something fails:
 * prepares the destination, carries out what was begun, and keeps its workers reading. Settles when nothing of it
 * runs any more; rejects with a `PipeFailure` or an `Interruption`.
 */
export async function runAttempt(options: AttemptOptions): Promise<'completed' | 'stopped'> {
  const { pipe, store, destination, layout, limits, clock, log, view, stop } = options
  const broken = new AbortController()
  const ending = AbortSignal.any([stop, broken.signal])
  /** Aborts inserts that still run when the time for draining is over. */
  const cut = new AbortController()
  const lanes = createLaneBook({
    ...{ pipeId: pipe.id, resync: pipe.spec.resyncCount, store, folder: layout.pending(pipe.id) },
    committed: view.committed,
  })
  const reading = createReading({
    ...options,
    ...{ pipeId: pipe.id, count: pipe.spec.scaling.replicas, folder: layout.workers(pipe.id) },
    ...{ wellMs: limits.wellMs, methods: methodsFor, released: lanes.releaseAll, ending },
  })
  let readiness: Promise<boolean> | null = null
  view.leases(lanes.held)

  try {
    await lanes.load()
    await rm(layout.workers(pipe.id), { recursive: true, force: true })
    // A prepared pipe without begun batches lets its service sleep until the source has data.
    if (options.run.preparedGeneration !== pipe.generation || lanes.hasPending()) {
      await prepare()
      readiness = Promise.resolve(false)
    }
    view.enter('running')
    const outcomes = await Promise.race([read().catch(breaks), drained()])
    if (broken.signal.aborted) throw broken.signal.reason
    return outcomes?.every((outcome) => outcome === 'completed') ? 'completed' : 'stopped'
  } catch (error) {
    if (stop.aborted && error instanceof Stopped) return 'stopped'
    throw error
  } finally {
    broken.abort()
    cut.abort()
    reading.kill()
    await Promise.all([lanes.idle(), reading.gone()])
    await destination.close?.()
  }

  /** A worker that crashed may have left a batch on its way. */
  async function read(): Promise<('completed' | 'stopped')[]> {
    const outcomes = await reading.run()
    await lanes.idle()
    return outcomes
  }

  function breaks(error: unknown): undefined {
    if (!broken.signal.aborted) broken.abort(error)
    return undefined
  }

  /** Resolves when the attempt must end and has drained. */
  async function drained(): Promise<undefined> {
    await new Promise<void>((resolve) => {
      if (ending.aborted) return resolve()
      ending.addEventListener('abort', () => resolve(), { once: true })
    })
    reading.stop()
    const settled = Promise.all([lanes.idle(), reading.gone()]).then(() => lanes.idle())
    await endsWithin(clock, broken.signal.aborted ? 0 : options.drainMs(), settled, options.hurry)
  }

  /** Prepares, unless it was done before. Whether lanes were moved that workers read already. */
  function ready(): Promise<boolean> {
    readiness ??= prepare()
    return readiness
  }

  /** Whether lanes were moved. */
  async function prepare(): Promise<boolean> {
    const epoch = options.nextEpoch()
    const { delivery } = await persist(() => destination.prepare(cut.signal))
    view.prepared(delivery)
    const committed = await persist(() => destination.committed(cut.signal))
    const { moves, isLost } = await lanes.follow(committed, epoch)
    view.followed(moves, isLost)
    await lanes.replay(epoch, insert)
    const prepared = { preparedGeneration: pipe.generation, delivery }
    await journalled(() => store.pipeJournal.saveRun(pipe.id, prepared))
    return moves.length > 0
  }

  function insert(batch: JournalledBatch) {
    return persist(() => destination.insert(batch, cut.signal))
  }

  /** Repeats until it succeeds, or the destination's patience is over. */
  async function persist<T>(run: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const result = await run()
        view.destination.worked()
        view.changed()
        return result
      } catch (error) {
        if (cut.signal.aborted) throw new Stopped('the pipe stops')
        const { verdict, message } = meaningOf(error)
        view.failed(message)
        if (verdict === 'bug') log.error({ err: error, pipeId: pipe.id }, 'a pipe sent something wrong')
        const waitMs = verdict === 'retry' ? view.destination.failed(message) : null
        if (waitMs === null) throw new PipeFailure(message)
        view.changed()
        // While the pipe stops, a destination that fails is not waited for: the batch stays in the journal.
        await clock.sleep(waitMs, ending)
        if (ending.aborted) throw new Stopped('the pipe stops')
      }
    }
  }

  async function commit(params: CommitParams, holder: Holder): Promise<void> {
    if (await ready()) throw new Interruption('lanes were moved: they are read from their new places', 0)
    await lanes.commit(params, holder, insert)
  }

  /** The calls of a worker. What fails here fails the attempt, unless it is the worker's own fault. */
  function methodsFor(holder: Holder, index: number): PeerMethods {
    const guarded = async <T>(run: Promise<T>): Promise<T> => {
      try {
        return await run
      } catch (error) {
        if (error instanceof PipeFailure || error instanceof Interruption) breaks(error)
        throw error
      }
    }
    return {
      lanes: () => lanes.known(),
      lease: ({ lane }: { lane: string }) => (ending.aborted ? null : guarded(lanes.lease(lane, holder))),
      commit: (params: CommitParams) => guarded(commit(params, holder)),
      move: ({ lane, position }: MoveParams) => guarded(lanes.move(lane, position, holder)),
      release: ({ lane }: { lane: string }) => lanes.release(lane, holder),
      report: (progress: SourceProgress) => view.reported(index, progress),
    }
  }
}

/** The pipe stops, and what was begun stays in the journal. */
class Stopped extends Error {}

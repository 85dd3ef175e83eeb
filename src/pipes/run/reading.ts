import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { type JsonPeer, PeerError, type PeerMethods } from '../../lib/json-peer.ts'
import { endsWithin, type Log } from '../../lib/running.ts'
import type { Histories } from '../../process/supervise/history.ts'
import type { SourcePipe } from '../source.ts'
import type { PipeWorkerSpec, ReadParams, TaskVerdict } from '../worker-protocol.ts'
import { Interruption, PipeFailure } from './ends.ts'
import type { Holder } from './lane-book.ts'
import type { RunView } from './run-view.ts'
import type { PipeWorker } from './worker-process.ts'

/** Starts a worker of the pipe, in its place among them. */
export type StartWorker = (
  spec: Pick<PipeWorkerSpec, 'index' | 'epoch' | 'workDir'>,
  methods: PeerMethods,
) => PipeWorker

export interface ReadingOptions {
  pipeId: string
  source: SourcePipe
  count: number
  /** The folder of the workers' directories. */
  folder: string
  wellMs: number
  clock: Clock
  log: Log
  view: RunView
  histories: Histories
  nextEpoch(): number
  start: StartWorker
  methods(holder: Holder, index: number): PeerMethods
  /** The worker's reading is over: it holds no lane any more. */
  released(holder: Holder): void
  /** Aborts when reading ends for good. */
  ending: AbortSignal
}

/** Keeps the workers of one pipe reading: a process that crashes is replaced, a source that fails is read again. */
export interface Reading {
  /** Resolves when every worker has ended. Rejects with a `PipeFailure` when patience is over. */
  run(): Promise<('completed' | 'stopped')[]>
  /** Asks the workers to end their reading; those that have not begun end at once. */
  stop(): void
  kill(): void
  /** Resolves when no process is left. */
  gone(): Promise<void>
}

/** From the end of a worker's connection to that of its process. */
const lastWordsMs = 2_000

export function createReading(options: ReadingOptions): Reading {
  const { pipeId, source, count, folder, clock, log, view, histories, ending } = options
  const workers = new Map<PipeWorker, JsonPeer | null>()

  async function keepReading(index: number): Promise<'completed' | 'stopped'> {
    const name = String(index)
    while (!ending.aborted) {
      await clock.sleep(Math.max(0, histories.of(name).notBeforeMs - clock.now()), ending)
      if (ending.aborted) break
      const epoch = options.nextEpoch()
      const workDir = join(folder, `${index}.${epoch}`)
      const holder: Holder = { epoch, workDir, index, isGone: false }
      histories.started(name)
      const worker = options.start({ index, epoch, workDir }, options.methods(holder, index))
      workers.set(worker, null)
      try {
        const peer = await worker.serving
        workers.set(worker, peer)
        const outcome = await readOn(index, holder, peer)
        worker.end()
        await worker.ended
        return outcome
      } catch (error) {
        if (error instanceof PipeFailure || error instanceof Interruption) throw error
        await crashed(worker, index)
      } finally {
        holder.isGone = true
        options.released(holder)
        view.forget(index)
        worker.kill('')
        await worker.ended
        workers.delete(worker)
        rmSync(workDir, { recursive: true, force: true })
      }
    }
    return 'stopped'
  }

  async function crashed(worker: PipeWorker, index: number): Promise<void> {
    // The connection ends a moment before the process; a worker that lives without it cannot go on.
    if (!(await endsWithin(clock, lastWordsMs, worker.ended))) worker.kill('lost its connection')
    const failure = `a worker ${await worker.ended}`
    if (ending.aborted) return
    histories.failed(String(index), failure, worker.servedMs(), clock.now())
    log.warn({ pipeId, worker: index, failure }, 'a pipe worker failed')
    if (patience(failure) === null) throw new PipeFailure(failure)
  }

  async function readOn(index: number, holder: Holder, peer: JsonPeer): Promise<'completed' | 'stopped'> {
    const params: ReadParams = { pipe: source, worker: { index, count } }
    while (!ending.aborted) {
      const over = new AbortController()
      try {
        if (view.source.problem) void recover(index, over.signal)
        const outcome = (await peer.call('read', params)) as 'completed' | 'stopped'
        if (outcome === 'completed' || ending.aborted) return outcome
        await tryAgain('the source ended by itself')
      } catch (error) {
        if (!(error instanceof PeerError)) throw error
        if (ending.aborted) return 'stopped'
        options.released(holder)
        const verdict = error.detail['verdict'] as TaskVerdict
        if (verdict !== 'retry') throw new PipeFailure(error.message)
        await tryAgain(error.message)
      } finally {
        over.abort()
        options.released(holder)
      }
    }
    return 'stopped'
  }

  /** A source without data shows only by lasting that it works again. */
  async function recover(index: number, over: AbortSignal): Promise<void> {
    await clock.sleep(options.wellMs, over)
    if (over.aborted || view.isWaiting(index)) return
    view.source.worked()
    view.changed()
  }

  async function tryAgain(message: string): Promise<void> {
    const waitMs = patience(message)
    if (waitMs === null) throw new PipeFailure(message)
    await clock.sleep(waitMs, ending)
  }

  function patience(message: string): number | null {
    const waitMs = view.source.failed(message)
    view.failed(message)
    view.changed()
    return waitMs
  }

  return {
    run: () => Promise.all(Array.from({ length: count }, (_, index) => keepReading(index))),
    stop() {
      for (const [worker, peer] of workers) {
        if (peer) peer.tell('stop')
        else worker.kill('')
      }
    },
    kill() {
      for (const worker of workers.keys()) worker.kill('')
    },
    async gone() {
      await Promise.all([...workers.keys()].map(({ ended }) => ended))
    },
  }
}

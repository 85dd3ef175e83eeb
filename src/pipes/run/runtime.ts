import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { EgressList } from '../../lib/egress/list.ts'
import { newId } from '../../lib/ids.ts'
import type { JsonPeer, PeerMethods } from '../../lib/json-peer.ts'
import { endsWithin } from '../../lib/running.ts'
import { createSlots } from '../../lib/slots.ts'
import type { Isolation } from '../../process/confine/isolation.ts'
import { openSocketDirectory, socketIn } from '../../process/supervise/socket-directory.ts'
import type { Store } from '../../store/store.ts'
import type { Destination } from '../destination.ts'
import { notRunnable } from '../runnable.ts'
import type { AppliedPipe, PipeRuntime, PipeRuntimeParts } from '../runtime.ts'
import type { SourcePipe } from '../source.ts'
import type { PipeWarehouse } from '../warehouse.ts'
import { type CheckOnWire, fromWire, type PipeWorkerSpec } from '../worker-protocol.ts'
import { createPipeLayout } from './layout.ts'
import { type PipeLimits, pipeLimits } from './limits.ts'
import { createPipeRun, type RunningPipe } from './pipe-run.ts'
import { sourcePipeOf } from './source-pipe.ts'
import { endStrayWorkers, type PipeWorker, startWorker } from './worker-process.ts'

export interface PipeRuntimeOptions extends PipeRuntimeParts {
  dataDir: string
  store: Pick<Store, 'transaction' | 'pipeJournal'>
  isolation: Isolation
  /** Where sources may be. */
  egress: EgressList
  /** Folders that sources of files may read. */
  folders: readonly string[]
  timeScale: number
  /** Variables that workers get; they inherit none. */
  environment?: Readonly<Record<string, string>>
  openDestination(parts: { pipe: AppliedPipe; warehouse: PipeWarehouse }): Destination
  /** The module of a kind of source, for tests; absent = the kinds of the worker. */
  sourceModule?(source: SourcePipe['source']): string
  limits?: Partial<PipeLimits>
}

/** Starts at a time: a worker takes most of a core for its first second. */
const startsAtATime = 2
const errandTries = 3
const gib = 1024 ** 3

/**
 * Pipes as processes of this machine: each pipe has workers of its own, which only read its source. Journal and
 * inserts are in this process.
 */
export function createPipeRuntime(options: PipeRuntimeOptions): PipeRuntime {
  const { dataDir, store, isolation, egress, folders, clock, log, warehouseOf } = options
  const layout = createPipeLayout(dataDir)
  const limits = pipeLimits(options.timeScale, options.limits)
  const starts = createSlots({ max: startsAtATime, maxWaiting: Number.POSITIVE_INFINITY })
  const pipes = new Map<string, RunningPipe>()
  const removals = new Map<string, Promise<void>>()
  const errands = new Set<PipeWorker>()
  const listeners = new Set<(id: string) => void>()
  let lastEpoch = 0
  let isClosed = false
  let opening: Promise<{ socketDir: string }> | null = null

  /** Workers of an earlier control process end by themselves; they are gone before the first new one starts. */
  function open(): Promise<{ socketDir: string }> {
    opening ??= (async () => {
      const socketDir = await openSocketDirectory(dataDir)
      await endStrayWorkers(layout.root, log)
      await rm(layout.errands, { recursive: true, force: true })
      return { socketDir }
    })()
    opening.catch(() => {
      opening = null
    })
    return opening
  }

  /** By the clock, so that it rises over restarts of the control process too. */
  function nextEpoch(): number {
    lastEpoch = Math.max(lastEpoch + 1, clock.now())
    return lastEpoch
  }

  function start(
    { id, source, scaling }: SourcePipe,
    place: Pick<PipeWorkerSpec, 'index' | 'epoch' | 'workDir'>,
    socketDir: string,
    methods: PeerMethods,
  ): PipeWorker {
    const spec: PipeWorkerSpec = {
      ...place,
      ...{ pipeId: id, isolation, egress, folders, nice: niceOf(scaling.replicaCpuMillicores) },
      socketPath: socketIn(socketDir, place.workDir),
      source: options.sourceModule?.(source) ?? Object.keys(source)[0] ?? '',
    }
    return startWorker(spec, scaling.replicaMemoryGb * gib, methods, {
      ...{ clock, log, limits, starts, environment: options.environment ?? {} },
    })
  }

  /** Runs one task, which may be repeated, in a worker of its own; a worker that fails is replaced by another one. */
  async function errand<T>(
    source: SourcePipe,
    signal: AbortSignal,
    run: (peer: JsonPeer) => Promise<T>,
  ): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await errandOnce(source, signal, run)
      } catch (error) {
        if (signal.aborted || isClosed || tries === errandTries) throw error
        log.warn({ err: error, tries }, 'a worker for one task failed, and another one takes it')
      }
    }
  }

  async function errandOnce<T>(
    source: SourcePipe,
    signal: AbortSignal,
    run: (peer: JsonPeer) => Promise<T>,
  ): Promise<T> {
    const { socketDir } = await open()
    signal.throwIfAborted()
    const epoch = nextEpoch()
    const workDir = join(layout.errands, `${newId()}.${epoch}`)
    const worker = start(source, { index: 0, epoch, workDir }, socketDir, {})
    errands.add(worker)
    const onAbort = () => worker.kill('')
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await run(await worker.serving)
    } catch (error) {
      signal.throwIfAborted()
      throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
      errands.delete(worker)
      worker.kill('')
      await worker.ended
      await rm(workDir, { recursive: true, force: true })
    }
  }

  function create(pipe: AppliedPipe, socketDir: string): RunningPipe {
    const { id } = pipe
    return createPipeRun(pipe, {
      ...{ id, store, layout, limits, clock, log, nextEpoch },
      openDestination: (applied) =>
        options.openDestination({ pipe: applied, warehouse: warehouseOf(applied) }),
      startFor: (applied) => (place, methods) => start(sourcePipeOf(applied), place, socketDir, methods),
      changed() {
        for (const listener of listeners) listener(id)
      },
    })
  }

  async function remove(id: string, pipe: AppliedPipe | undefined): Promise<void> {
    await pipes.get(id)?.end(0)
    pipes.delete(id)
    if (pipe && existsSync(layout.pipe(id)) && notRunnable(pipe.spec.source) === '')
      await removeAtSource(pipe)
    await rm(layout.pipe(id), { recursive: true, force: true })
  }

  /** A source that cannot be reached does not keep its pipe from being deleted. */
  async function removeAtSource(pipe: AppliedPipe): Promise<void> {
    const source = sourcePipeOf(pipe)
    const over = new AbortController()
    const removal = errand(source, over.signal, (peer) => peer.call('remove', { pipe: source }))
    const isDone = await endsWithin(clock, limits.errandMs, removal).catch((error: Error) => error)
    over.abort()
    await removal.catch(() => undefined)
    if (isDone !== true)
      log.warn({ pipeId: pipe.id, err: isDone || 'timeout' }, 'what a pipe left at its source stays there')
  }

  return {
    async apply(pipe) {
      const { socketDir } = await open()
      if (isClosed || removals.has(pipe.id)) return
      const known = pipes.get(pipe.id)
      if (known) known.apply(pipe)
      else pipes.set(pipe.id, create(pipe, socketDir))
    },
    async observe(id) {
      if (removals.has(id)) return { known: true, state: 'stopping', generation: 0, reason: '' }
      const known = pipes.get(id)
      if (known) return known.observe()
      // What an earlier process ran is still to be removed when the pipe is.
      const state = existsSync(layout.pipe(id)) ? 'stopped' : 'absent'
      return { known: true, state, generation: 0, reason: '' }
    },
    status: (id) => pipes.get(id)?.status() ?? null,
    lanes: (id) => pipes.get(id)?.lanes() ?? [],
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async destroy(id, pipe) {
      if (removals.has(id) || isClosed) return
      const removal = remove(id, pipe)
        .catch((error: unknown) => log.warn({ err: error, pipeId: id }, 'a pipe could not be removed yet'))
        .finally(() => {
          removals.delete(id)
          for (const listener of listeners) listener(id)
        })
      removals.set(id, removal)
    },
    async check(source, { sample, signal }) {
      // Such a pipe is stored, and says itself that it does not run.
      if (notRunnable(source.source) !== '') return { ok: true, sample: null }
      return errand(source, signal, async (peer) =>
        fromWire((await peer.call('check', { pipe: source, sample })) as CheckOnWire),
      )
    },
    async close(hurry) {
      isClosed = true
      listeners.clear()
      for (const worker of errands) worker.kill('')
      await Promise.all([...pipes.values()].map((pipe) => pipe.end(limits.closeMs, hurry)))
      await Promise.all(removals.values())
      const opened = await opening?.catch(() => null)
      if (opened) await rm(opened.socketDir, { recursive: true, force: true }).catch(() => undefined)
    },
  }
}

/**
 * A share of a core as a priority: under load a worker gets about this share beside an ordinary process of one core,
 * and on an idle machine it gets what it wants. The scheduler's weight falls by a quarter with each step.
 */
export function niceOf(millicores: number): number {
  return Math.min(19, Math.max(0, Math.round(Math.log(1_000 / millicores) / Math.log(1.25))))
}

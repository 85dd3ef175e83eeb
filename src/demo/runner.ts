import type { ControlContext } from '../control/context.ts'
import { type DemoProgress, type DemoRecord, demoSteps } from '../domain/demo/types.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/running.ts'
import type { Store } from '../store/store.ts'
import { callerOf, type DemoWork } from './context.ts'
import { type DemoFolder, openFolder, pipeOf } from './folder.ts'
import { removeDemo } from './remove.ts'
import { feedNames } from './shop/feeds.ts'
import { makers } from './steps.ts'

export interface DemoRunnerOptions {
  store: Store
  clock: Clock
  log: Log
  /** Null until the server is put together. */
  control(): ControlContext
  /** The id of the data directory; only demos in it are looked after. */
  dataPlaneId: string
  /** The folder of files that pipes may always read. */
  filesDir: string
  run(serviceId: string, statement: string, signal: AbortSignal): Promise<void>
}

/** Makes demos, keeps them alive, and removes them. What is asked of it is in the store; it can be killed at any point. */
export interface DemoRunner {
  run(signal: AbortSignal): Promise<void>
  /** Looks at the store again, and gives up what it does for what is wanted now. */
  wake(): void
  /** Null = nothing is known of a demo of this organization. */
  progress(organizationId: string): DemoProgress | null
  /** Whether a pipe is one of a demo: what it writes is no reason to keep a service awake. */
  ownsPipe(pipeId: string): boolean
}

const busyMs = 1_000
/** Live data is written at this pace; the smallest file spans more. */
const liveMs = 5_000

export function createDemoRunner(options: DemoRunnerOptions): DemoRunner {
  const { store, clock, log } = options
  const progress = new Map<string, DemoProgress>()
  const pipes = new Set<string>()
  let current = new AbortController()

  return {
    progress: (organizationId) => progress.get(organizationId) ?? null,
    ownsPipe: (pipeId) => pipes.has(pipeId),
    wake: () => current.abort(),
    async run(stop) {
      stop.addEventListener('abort', () => current.abort(), { once: true })
      while (!stop.aborted) {
        current = new AbortController()
        const { signal } = current
        const isBusy = await lookAfterAll(signal).catch((error: unknown) => {
          if (!signal.aborted) log.warn({ err: error }, 'the demo cannot be looked after')
          return true
        })
        if (!stop.aborted) await clock.sleep(isBusy ? busyMs : liveMs, signal)
      }
    },
  }

  /** True = something is on its way. */
  async function lookAfterAll(signal: AbortSignal): Promise<boolean> {
    const demos = await store.demos.list(options.dataPlaneId)
    for (const demo of demos) for (const feed of feedNames) pipes.add(pipeOf(demo, feed))
    let isBusy = false
    for (const demo of demos) {
      if (demo.kept.length > 0) continue
      if (demo.wanted === 'absent') {
        await remove(demo, signal)
        isBusy = true
      } else if (demo.error === null && !demo.isComplete) {
        await make(demo, signal)
        isBusy = true
      } else if (demo.error === null) await goOn(demo)
    }
    return isBusy
  }

  function workOf(demo: DemoRecord, signal: AbortSignal): DemoWork {
    return {
      ...{ demo, signal, control: options.control(), caller: callerOf(demo), folder: folderOf(demo) },
      run: (statement) => options.run(demo.ids.service, statement, signal),
      tell(step, counts) {
        const known = progress.get(demo.organizationId)?.counts ?? {}
        // The rows to load are those that were generated.
        const total = step === 'pipe' ? (known.data?.total ?? demo.rows) : counts.total
        progress.set(demo.organizationId, { step, counts: { ...known, [step]: { ...counts, total } } })
      },
    }
  }

  async function make(demo: DemoRecord, signal: AbortSignal): Promise<void> {
    const work = workOf(demo, signal)
    for (const step of demoSteps) {
      work.tell(step, { done: 0, total: step === 'data' ? demo.rows : 0 })
      try {
        await makers[step](work)
      } catch (error) {
        if (signal.aborted) return
        log.warn({ err: error, step }, 'the demo cannot be made')
        return save(demo, { error: { step, message: wordsOf(error) } })
      }
    }
    await save(demo, { isComplete: true })
    log.info({ organizationId: demo.organizationId }, 'the demo runs')
  }

  async function remove(demo: DemoRecord, signal: AbortSignal): Promise<void> {
    try {
      const kept = await removeDemo(workOf(demo, signal))
      progress.delete(demo.organizationId)
      for (const feed of feedNames) pipes.delete(pipeOf(demo, feed))
      if (kept.length > 0) return await save(demo, { kept, error: null })
      await store.transaction(async (tx) => {
        if ((await tx.demos.get(demo.organizationId))?.wanted === 'absent')
          await tx.demos.remove(demo.organizationId)
      })
      log.info({ organizationId: demo.organizationId }, 'the demo is removed')
    } catch (error) {
      if (signal.aborted) return
      log.warn({ err: error }, 'the demo cannot be removed yet')
      await save(demo, { error: { step: 'remove', message: wordsOf(error) } })
    }
  }

  /** Live events go on while the service runs; what is left out while it sleeps is made up for when it wakes. */
  async function goOn(demo: DemoRecord): Promise<void> {
    const service = await store.services.find(demo.ids.service)
    if (service?.status.state !== 'running' || service.spec.automatic?.asleep) return
    const folder = folderOf(demo)
    for (const feed of feedNames)
      await folder
        .goOn(feed, clock.now())
        .catch((error: unknown) =>
          log.warn({ err: error, feed }, 'live events of the demo cannot be written'),
        )
  }

  function folderOf(demo: DemoRecord): DemoFolder {
    return openFolder(options.filesDir, demo, store.pipeJournal)
  }

  /** Writes nothing if something else is wanted meanwhile. */
  async function save(seen: DemoRecord, change: Partial<DemoRecord>): Promise<void> {
    await store.transaction(async (tx) => {
      const now = await tx.demos.get(seen.organizationId)
      if (now?.wanted === seen.wanted && now.ids.service === seen.ids.service)
        await tx.demos.save({ ...now, ...change })
    })
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

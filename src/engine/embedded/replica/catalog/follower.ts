import { type Clock, systemClock } from '../../../../lib/clock.ts'
import type { Log } from '../../../../lib/running.ts'
import { createDirectoryWatch } from './directory-watch.ts'
import { createGlobals } from './globals.ts'
import { createReaderCatalog } from './reader-catalog.ts'
import { createRetries } from './retries.ts'
import { createWanted, type Wanted } from './wanted.ts'
import { createWriterFiles, type WriterCatalog } from './writer-files.ts'

export interface CatalogFollowerOptions {
  /** The writer's directory, absolute and without symbolic links above it. */
  dataDir: string
  /** Executes one statement on the reader's engine, which starts with an empty directory. */
  run: (sql: string) => Promise<string>
  log: Log
  intervalMs?: number
  /** Returns the writer's catalog, and the same object for as long as nothing has changed. */
  readSource?: () => WriterCatalog | Promise<WriterCatalog>
  clock?: Clock
}

export interface CatalogFollower {
  /** Resolves once everything that the writer had at the call, and that can be attached, is attached. */
  start(): Promise<void>
  stop(): Promise<void>
  /** Runs a round now and retries failures; everything that the writer has at the call is attached when it resolves. */
  sync(): Promise<void>
  /** The reader's tables show at least the writer's state at this time; 0 = no round has ended yet. */
  seesUntilMs(): number
  /** Names the objects that cannot be followed; '' = none. */
  error(): string
}

/**
 * Keeps a reader's tables the same as the writer's. The writer's files are the source of truth, whether the writer runs
 * or not, and each start rebuilds the reader's catalog from them. A reader always shows consistent states of a table: a
 * table that it cannot show does not exist on it, and the query is then sent to the writer.
 */
export function createCatalogFollower(options: CatalogFollowerOptions): CatalogFollower {
  const { dataDir, log, intervalMs = 250, clock = systemClock } = options
  const files = createWriterFiles(dataDir, clock.now)
  const readSource = options.readSource ?? files.read
  // A stop does not wait for the remaining statements of a round.
  const run = (sql: string) => (isStopped ? Promise.reject(new Error('stopped')) : options.run(sql))
  const retries = createRetries(log)
  const globals = createGlobals(run, retries)
  const reader = createReaderCatalog({ run, log, retries, now: clock.now })
  const readWanted = createWanted(dataDir)
  const watch = createDirectoryWatch(() => {
    isHinted = true
    waiting.abort()
  })
  let last: { catalog: WriterCatalog; wanted: Wanted } | undefined
  let sourceError = ''
  let seesUntilMs = 0
  let isStopped = false
  let isHinted = false
  let waiting = new AbortController()
  let loop: Promise<void> | undefined
  /** The running round, and the one requested meanwhile, which sees what the running round may have missed. */
  let current: Promise<void> | undefined
  let next: Promise<void> | undefined

  async function round(isForced: boolean): Promise<void> {
    let catalog: WriterCatalog
    try {
      catalog = await readSource()
      sourceError = ''
    } catch (error) {
      // Attached objects stay: an unreadable catalog does not mean that the writer has dropped them.
      const message = `cannot read the writer's catalog: ${error instanceof Error ? error.message : error}`
      if (message !== sourceError) log.warn({ err: error }, "cannot read the writer's catalog")
      sourceError = message
      return
    }
    const isSame = last?.catalog === catalog
    const hasWork = await reader.hasWork(isForced).catch((error: unknown) => {
      log.warn({ err: error }, 'cannot look after dropped parts')
      return false
    })
    if (isSame && !hasWork && retries.isEmpty()) return sawParts()
    const wanted = last && isSame ? last.wanted : readWanted(catalog)
    last = { catalog, wanted }
    retries.nextRound(isForced)
    await globals.apply(catalog)
    await reader.apply(wanted)
    sawParts()
    retries.keepOnly((name) => reader.isKnown(name, wanted) || globals.isKnown(name, catalog))
  }

  /** `seesUntilMs` never goes back. */
  function sawParts(): void {
    seesUntilMs = Math.max(seesUntilMs, reader.seesUntilMs())
  }

  function look(isForced: boolean): Promise<void> {
    if (isStopped) return current ?? Promise.resolve()
    if (current === undefined) {
      current = round(isForced).finally(() => {
        current = undefined
      })
      return current
    }
    next ??= current
      .catch(() => {})
      .then(() => {
        next = undefined
        return look(true)
      })
    return next
  }

  async function follow(): Promise<void> {
    while (!isStopped) {
      waiting = new AbortController()
      if (!options.readSource) watch.set(files.directories())
      if (!isHinted) await clock.sleep(intervalMs, waiting.signal)
      if (isStopped) return
      isHinted = false
      await look(false).catch((error: unknown) => log.error({ err: error }, 'following the catalog failed'))
    }
  }

  return {
    async start() {
      if (!options.readSource) watch.set(files.directories())
      await look(true)
      loop ??= follow()
    },
    async stop() {
      isStopped = true
      waiting.abort()
      watch.close()
      await Promise.all([loop, current])
    },
    sync: () => look(true),
    seesUntilMs: () => seesUntilMs,
    error: () => [sourceError, retries.error()].filter(Boolean).join('; '),
  }
}

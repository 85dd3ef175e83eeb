import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { planDashboard } from '../domain/dashboard/rules.ts'
import type { DashboardRecord, ReplaceInput } from '../domain/dashboard/types.ts'
import type { Issue } from '../domain/issue.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/running.ts'
import type { Repositories, Store } from '../store/store.ts'
import { issueText, listFiles, readDashboardFile } from './read-files.ts'

export interface FileSyncOptions {
  directory: string
  /** The organization that the dashboards belong to. */
  organizationId(): Promise<string>
  store: Store
  clock: Clock
  log: Log
  /** The issues of a body by its schema. */
  check(body: unknown): readonly Issue[]
}

/**
 * Brings the dashboards in step with the files of a folder. A file that is wrong is told once and leaves its dashboard
 * as it was; so does a folder that cannot be read. Files are read only when they have changed.
 */
export function createFileSync(options: FileSyncOptions): () => Promise<void> {
  const { directory, store, clock, log, check } = options
  /** What was seen of each file when it was last read. */
  let seen: Map<string, string> | null = null
  let isUnreadable = false

  return async () => {
    const files = await listFiles(directory).catch((error: unknown) => {
      if (!isUnreadable) log.warn({ err: error, directory }, 'the folder of dashboards cannot be read')
      isUnreadable = true
      return null
    })
    if (files === null) return
    isUnreadable = false
    const before = seen
    const changed = [...files].filter(([name, stamp]) => before?.get(name) !== stamp)
    const isGone = before === null || [...before.keys()].some((name) => !files.has(name))
    if (!isGone && changed.length === 0) return
    const organizationId = await options.organizationId()
    for (const [name] of changed) await take(organizationId, name)
    await removeOthers(organizationId, files)
    seen = files
  }

  async function take(organizationId: string, name: string): Promise<void> {
    const dashboard = await readDashboardFile(join(directory, name), check)
      .then((body) => plan(name, body))
      .catch((error: Error) => {
        log.warn({ file: name, why: error.message }, 'a file describes no dashboard')
        return null
      })
    if (dashboard) await store.transaction((tx) => save(tx, organizationId, name, dashboard))
  }

  function plan(name: string, { id: _, tiles, ...rest }: ReplaceInput): DashboardRecord {
    const ids = tileIds(name, tiles ?? [])
    const bare = tiles?.map(({ id: _id, ...tile }) => tile)
    const planned = planDashboard(
      { ...rest, ...(bare && { tiles: bare }) },
      { nowMs: clock.now(), newTileId: () => ids.shift() ?? '' },
    )
    if (!('dashboard' in planned)) throw new Error(issueText(planned))
    return { id: idOf(name), ...planned.dashboard }
  }

  async function save(
    tx: Repositories,
    organizationId: string,
    file: string,
    dashboard: DashboardRecord,
  ): Promise<void> {
    const by = { by: `file ${file}` }
    const current = await tx.dashboards.get(organizationId, dashboard.id)
    if (!current) await tx.dashboards.insert(organizationId, dashboard, clock.now(), { ...by, file })
    else if (!isDeepStrictEqual(current, dashboard))
      await tx.dashboards.replace(organizationId, dashboard, clock.now(), by)
  }

  async function removeOthers(organizationId: string, files: ReadonlyMap<string, string>): Promise<void> {
    for (const { dashboard, file } of await store.dashboards.listFromFiles(organizationId)) {
      if (file !== null && !files.has(file)) await store.dashboards.remove(organizationId, dashboard.id)
    }
  }
}

/** The same for a file's name, also after the file was gone. */
const idOf = (...parts: string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 24)

/** Tiles keep the ids of the file; the others have one by their names, so that alerts on them survive a change. */
function tileIds(file: string, tiles: readonly { id?: string; name: string }[]): string[] {
  const taken = new Set<string>()
  return tiles.map(({ id, name }) => {
    let free = id !== undefined && /^[0-9a-f]{24}$/.test(id) ? id : idOf(file, 'tile', name)
    for (let number = 2; taken.has(free); number++) free = idOf(file, 'tile', name, String(number))
    taken.add(free)
    return free
  })
}

import { quoteString } from '../../../../lib/clickhouse/identifiers.ts'
import { droppedParts } from './part-names.ts'
import { type PartsDir, readPartsDir } from './parts-dir.ts'
import { qualified } from './rewrite.ts'
import { orGone, stampOf } from './stamp.ts'

/** A table on the reader, with the last listing of its parts directory. */
export interface PartsHolder {
  table: string
  /** '' = the table has no parts of its own. */
  partsDir: string
  seen: PartsDir | null
  /** The table must be attached anew. */
  isOutdated: boolean
}

/**
 * The engine looks for new parts every second but never unloads a dropped part: after TRUNCATE or DROP PARTITION it
 * would count the part's rows for ever, and fail where it reads them. `mark` marks the tables that must be attached anew
 * for that reason, or for a mutation that is newer than the attached table. It queries the engine only about tables
 * whose directories have changed, and returns when the newest successful check began.
 */
export function createOutdatedParts(run: (sql: string) => Promise<string>, now: () => number) {
  let lookedAtMs = 0
  let lastMs = Number.NEGATIVE_INFINITY
  let looks = 0

  return async function mark(tables: ReadonlyMap<string, PartsHolder>, isForced: boolean): Promise<number> {
    if (!isForced && now() - lastMs < lookEveryMs) return lookedAtMs
    const startMs = now()
    lastMs = startMs
    looks += 1
    const isFullLook = looks % fullLookEvery === 0
    const changed = [...tables].filter(
      ([, { partsDir, seen }]) => seen !== null && (isFullLook || hasChanged(partsDir, seen, now())),
    )
    if (changed.length === 0) {
      lookedAtMs = startMs
      return startMs
    }
    const loaded = await loadedParts(
      run,
      changed.map(([, { table }]) => table),
    )
    for (const [name, holder] of changed) {
      const { partsDir, seen } = holder
      // Listed after the engine's answer, so each loaded part is on the disk, replaced or dropped.
      const found = seen && orGone(() => readPartsDir(partsDir, now(), { ...seen, stamp: '' }))
      // The whole directory is gone; the definition will follow.
      if (!found) continue
      const isDropped = droppedParts(loaded.get(name) ?? [], found.names).length > 0
      holder.isOutdated ||= isDropped || found.columnMutation > seen.columnMutation
      holder.seen = found
    }
    lookedAtMs = startMs
    return startMs
  }
}

const hasChanged = (partsDir: string, seen: PartsDir, nowMs: number): boolean =>
  stampOf(partsDir, nowMs)?.value !== seen.stamp

/** As often as the engine looks for new parts. */
const lookEveryMs = 1_000

/** Once a minute all tables are checked, for parts that were dropped while the engine loaded them. */
const fullLookEvery = 60

async function loadedParts(
  run: (sql: string) => Promise<string>,
  tables: string[],
): Promise<Map<string, string[]>> {
  const names = [...new Set(tables)].map(quoteString)
  // A dropped part leaves an empty part for a moment; nothing is read from it.
  const text = await run(
    `SELECT database, table, name FROM system.parts WHERE active AND rows > 0 AND table IN (${names.join(', ')}) FORMAT JSONEachRow`,
  )
  const loaded = new Map<string, string[]>()
  for (const line of text.split('\n').filter(Boolean)) {
    const { database, table, name } = JSON.parse(line) as { database: string; table: string; name: string }
    const key = qualified(database, table)
    const parts = loaded.get(key)
    if (parts) parts.push(name)
    else loaded.set(key, [name])
  }
  return loaded
}

import { quoteString } from '../../../../lib/clickhouse/identifiers.ts'
import { droppedParts } from './part-names.ts'
import { type PartsDir, readPartsDir } from './parts-dir.ts'
import { qualified } from './rewrite.ts'
import { orGone, stampOf } from './stamp.ts'

/** A table on the reader with what was seen of its parts. */
export interface PartsHolder {
  table: string
  /** '' = it has no parts of its own. */
  partsDir: string
  seen: PartsDir | null
  /** It must be attached anew. */
  isOutdated: boolean
}

/**
 * The engine looks for new parts every second but never lets go of one that was dropped: after TRUNCATE or DROP
 * PARTITION it would count its rows for ever, and fail where it reads them. This marks the tables that have to be
 * attached anew for that, or for a mutation that they do not know of. The engine is asked only about tables in
 * whose directories something has changed.
 */
/** Marks, and tells when the newest look began that went well. */
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
      // After the engine was asked: what it had loaded is there, or replaced, or dropped.
      const found = seen && orGone(() => readPartsDir(partsDir, now(), { ...seen, stamp: '' }))
      // Gone altogether: so will be the definition.
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

/** Once a minute at all tables, for parts that were being loaded while they were dropped. */
const fullLookEvery = 60

async function loadedParts(
  run: (sql: string) => Promise<string>,
  tables: string[],
): Promise<Map<string, string[]>> {
  const names = [...new Set(tables)].map(quoteString)
  // Empty parts are what is left of dropped ones for a moment; nothing is read from them.
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

import { randomUUID } from 'node:crypto'
import { quoteIdentifier } from '../../../../lib/clickhouse/identifiers.ts'
import type { Log } from '../../../../lib/running.ts'
import { incompleteMerges } from './incomplete-merges.ts'
import { nextMove } from './moves.ts'
import { createOutdatedParts, type PartsHolder } from './outdated-parts.ts'
import { readPartsDir } from './parts-dir.ts'
import type { Retries } from './retries.ts'
import { createSwapDatabase } from './swap-database.ts'
import type { Wanted, WantedObject } from './wanted.ts'

export interface ReaderCatalogOptions {
  run: (sql: string) => Promise<string>
  log: Log
  retries: Retries
  now: () => number
}

/** Tracks what is attached on the reader and brings it to the wanted state, one statement at a time. */
export interface ReaderCatalog {
  apply(wanted: Wanted): Promise<void>
  /** Checks for dropped parts; true = `apply` has work to do even if the wanted state has not changed. */
  hasWork(isForced: boolean): Promise<boolean>
  /** When the check of parts began that the tables reflect; 0 = none yet, or a table must still be attached anew. */
  seesUntilMs(): number
  /** Whether a failure under this name concerns an object that still exists. */
  isKnown(name: string, wanted: Wanted): boolean
}

interface Attached extends PartsHolder {
  database: string
  text: string
  isDictionary: boolean
}

/** The built-in database is never dropped: it is the current database of new connections. */
const builtIn = 'default'

export function createReaderCatalog(options: ReaderCatalogOptions): ReaderCatalog {
  const { run, log, retries, now } = options
  const databases = new Map<string, string>([[builtIn, '']])
  const objects = new Map<string, Attached>()
  const room = createSwapDatabase(run)
  const markOutdated = createOutdatedParts(run, now)
  let lookedAtMs = 0

  /** True if the work succeeded. A failure is recorded under `name`, with `what` as the text that was attempted. */
  async function attempt(name: string, what: string, work: () => Promise<void>): Promise<boolean> {
    if (!retries.mayTry(name, what)) return false
    try {
      await work()
      retries.done(name)
      return true
    } catch (error) {
      retries.failed(name, what, error)
      return false
    }
  }

  async function remove(name: string, { isDictionary }: Attached): Promise<void> {
    if (isDictionary) await run(`DROP DICTIONARY IF EXISTS ${name}`)
    else await room.remove(name)
    objects.delete(name)
  }

  async function attach(name: string, wanted: WantedObject, attached: Attached | undefined): Promise<void> {
    const { database, table, text, isDictionary, partsDir } = wanted
    // Listed before the engine loads the parts, so that parts that appear in between count as new.
    const seen = partsDir === '' ? null : readPartsDir(partsDir, now())
    if (partsDir !== '' && seen === null) throw new Error('its parts are not there')
    const statement = (place: string) => wanted.statement(place, randomUUID())
    if (attached && !attached.isDictionary && !isDictionary) await room.replace(name, statement)
    else {
      if (attached && attached.isDictionary !== isDictionary) await remove(name, attached)
      await run(statement(name))
    }
    objects.set(name, { database, table, text, isDictionary, partsDir, seen, isOutdated: false })
    log.debug({ object: name }, 'reader attached')
  }

  async function follow(name: string, wanted: WantedObject): Promise<void> {
    const attached = objects.get(name)
    if (attached?.text === wanted.text && !attached.isOutdated) return retries.done(name)
    const isAttached = await attempt(name, wanted.text, () => attach(name, wanted, attached))
    // The old definition is removed: it could read new parts wrongly.
    const left = objects.get(name)
    if (!isAttached && left) await remove(name, left).catch(() => {})
  }

  async function move(wanted: Wanted): Promise<void> {
    for (let next = nextMove(objects, wanted); next; next = nextMove(objects, wanted)) {
      const { from, to, isExchange } = next
      const [mover, other, goal] = [objects.get(from), objects.get(to), wanted.objects.get(to)]
      if (!mover || !goal || !databases.has(goal.database)) return
      try {
        await run(isExchange ? `EXCHANGE TABLES ${from} AND ${to}` : `RENAME TABLE ${from} TO ${to}`)
      } catch (error) {
        // `apply` then removes the table at its old name and attaches it at the new one.
        log.debug({ err: error, object: from }, 'reader could not move')
        return
      }
      objects.delete(from)
      objects.set(to, { ...mover, database: goal.database, table: goal.table })
      if (other) objects.set(from, { ...other, database: mover.database, table: mover.table })
    }
  }

  async function createDatabases(wanted: Wanted): Promise<void> {
    for (const [name, statement] of wanted.databases) {
      if (databases.has(name)) continue
      await attempt(quoteIdentifier(name), statement, async () => {
        await run(statement)
        databases.set(name, statement)
      })
    }
  }

  async function dropDatabases(wanted: Wanted): Promise<void> {
    for (const [name, statement] of databases) {
      if (name === builtIn || wanted.databases.get(name) === statement) continue
      const quoted = quoteIdentifier(name)
      await attempt(quoted, '', async () => {
        for (const [object, attached] of objects)
          if (attached.database === name) await remove(object, attached)
        await run(`DROP DATABASE IF EXISTS ${quoted}`)
        databases.delete(name)
      })
    }
  }

  return {
    async apply(wanted) {
      await createDatabases(wanted)
      await move(wanted)
      for (const [name, attached] of objects) {
        if (!wanted.objects.has(name)) await attempt(name, '', () => remove(name, attached))
      }
      await dropDatabases(wanted)
      await createDatabases(wanted)
      for (const [name, object] of wanted.objects) {
        if (object.reach === null && databases.has(object.database)) await follow(name, object)
      }
      const incomplete = incompleteMerges(wanted, (name) => objects.has(name))
      for (const [name, object] of wanted.objects) {
        const attached = objects.get(name)
        if (incomplete.has(name)) {
          if (attached) await attempt(name, '', () => remove(name, attached))
        } else if (object.reach !== null && databases.has(object.database)) await follow(name, object)
      }
      for (const { name, text, reason } of wanted.unreadable) {
        if (retries.mayTry(name, text)) retries.failed(name, text, new Error(reason))
      }
      await room.close()
    },
    async hasWork(isForced) {
      lookedAtMs = await markOutdated(objects, isForced)
      return room.isOpen() || [...objects.values()].some((attached) => attached.isOutdated)
    },
    seesUntilMs: () => ([...objects.values()].some(({ isOutdated }) => isOutdated) ? 0 : lookedAtMs),
    isKnown: (name, wanted) =>
      objects.has(name) ||
      wanted.objects.has(name) ||
      wanted.unreadable.some((each) => each.name === name) ||
      [...databases.keys(), ...wanted.databases.keys()].some((each) => quoteIdentifier(each) === name),
  }
}

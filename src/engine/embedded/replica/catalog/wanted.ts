import { type FollowedObject, qualified, toReaderDatabase, toReaderObject } from './rewrite.ts'
import type { WriterCatalog } from './writer-files.ts'

/** What a reader should have, derived from the writer's files. */
export interface Wanted {
  /** The CREATE statement of each database, by name. */
  databases: Map<string, string>
  /** By qualified name, in the order in which they are attached. */
  objects: Map<string, WantedObject>
  /** Tables that the writer has and a reader cannot have; null = all tables of the database. */
  missing: { database: string; table: string | null }[]
  /** Definitions that cannot be parsed, with the reason. */
  unreadable: { name: string; text: string; reason: string }[]
}

export interface WantedObject extends FollowedObject {
  database: string
  table: string
  /** The writer's definition. */
  text: string
}

/** Definitions that have not changed are not parsed again. */
export function createWanted(dataDir: string): (catalog: WriterCatalog) => Wanted {
  let known = new Map<string, { text: string; found: ReturnType<typeof toReaderObject> }>()

  return ({ databases }) => {
    const read: typeof known = new Map()
    const wanted: Wanted = { databases: new Map(), objects: new Map(), missing: [], unreadable: [] }
    const objects: [string, WantedObject][] = []
    for (const [database, { definition, tables }] of databases) {
      const onReader = toReaderDatabase(definition, database)
      if (onReader.is === 'left') {
        wanted.missing.push({ database, table: null })
        continue
      }
      wanted.databases.set(database, onReader.statement)
      if (onReader.is === 'whole') continue
      for (const [table, text] of tables) {
        const name = qualified(database, table)
        const before = known.get(name)
        const found = before?.text === text ? before.found : toReaderObject(text, { database, dataDir })
        read.set(name, { text, found })
        if (found.is === 'followed') {
          objects.push([name, { ...found.object, database, table, text }])
          continue
        }
        wanted.missing.push({ database, table })
        if (found.is === 'unreadable') wanted.unreadable.push({ name, text, reason: found.reason })
      }
    }
    known = read
    wanted.objects = new Map(objects.sort(([, a], [, b]) => a.rank - b.rank))
    return wanted
  }
}

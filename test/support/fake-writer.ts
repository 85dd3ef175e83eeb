import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Writes a writer's files in its format, without an engine. Names are given as they appear in files. */
export function createFakeWriter() {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'granary-writer-')))
  const metadata = join(dataDir, 'metadata')
  let uuids = 0

  const newUuid = () => {
    uuids += 1
    return `${uuids.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`
  }
  const storeOf = (uuid: string) => join(dataDir, 'store', uuid.slice(0, 3), uuid)
  /** A temporary file and a rename, as the engine writes files. */
  const put = (path: string, text: string) => {
    writeFileSync(`${path}.tmp`, text)
    renameSync(`${path}.tmp`, path)
  }
  const fileOf = (database: string, table: string) => join(metadata, database, `${table}.sql`)

  const writer = {
    dataDir,
    metadata,
    storeOf,
    put,
    fileOf,
    database(name: string, engine = 'Atomic') {
      const uuid = newUuid()
      mkdirSync(storeOf(uuid), { recursive: true })
      if (name !== 'default')
        put(join(metadata, `${name}.sql`), `ATTACH DATABASE _ UUID '${uuid}'\nENGINE = ${engine}\n`)
      symlinkSync(join('..', 'store', uuid.slice(0, 3), uuid), join(metadata, name))
    },
    dropDatabase(name: string) {
      rmSync(join(metadata, `${name}.sql`))
      rmSync(join(metadata, name))
    },
    /** A MergeTree unless other text is given; `_` in the text stands for name and UUID. Returns the UUID. */
    table(database: string, table: string, text = mergeTree('k'), uuid = newUuid()) {
      mkdirSync(storeOf(uuid), { recursive: true })
      put(fileOf(database, table), text.replace(' _', ` _ UUID '${uuid}'`))
      return uuid
    },
    drop(database: string, table: string) {
      rmSync(fileOf(database, table))
    },
    rename(from: [string, string], to: [string, string]) {
      renameSync(fileOf(...from), fileOf(...to))
    },
    exchange(one: [string, string], other: [string, string]) {
      renameSync(fileOf(...one), `${fileOf(...one)}.tmp`)
      renameSync(fileOf(...other), fileOf(...one))
      renameSync(`${fileOf(...one)}.tmp`, fileOf(...other))
    },
    part(uuid: string, name: string) {
      mkdirSync(join(storeOf(uuid), name))
    },
    dropPart(uuid: string, name: string) {
      rmSync(join(storeOf(uuid), name), { recursive: true })
    },
    mutation(uuid: string, number: number, commands: string) {
      put(join(storeOf(uuid), `mutation_${number}.txt`), `format version: 1\ncommands: ${commands}\n`)
    },
    remove() {
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  mkdirSync(metadata, { recursive: true })
  mkdirSync(join(dataDir, 'user_defined'))
  mkdirSync(join(dataDir, 'named_collections'))
  return writer
}

export const mergeTree = (...columns: string[]): string =>
  `ATTACH TABLE _\n(\n${columns.map((column) => `    \`${column}\` UInt64`).join(',\n')}\n)\nENGINE = MergeTree\nORDER BY k\nSETTINGS index_granularity = 8192\n`

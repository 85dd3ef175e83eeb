import { join } from 'node:path'
import { createDirectoryFiles, type DirectoryListing } from './directory-files.ts'

/** What the writer has according to its files, which also hold while the writer is down. */
export interface WriterCatalog {
  databases: ReadonlyMap<string, WriterDatabase>
  /** SQL functions by file name; the text carries the name. */
  functions: ReadonlyMap<string, string>
  namedCollections: ReadonlyMap<string, string>
}

export interface WriterDatabase {
  /** '' = the built-in database, which no file defines. */
  definition: string
  tables: ReadonlyMap<string, string>
}

export interface WriterFiles {
  /** The same object for as long as nothing has changed. Throws if the files are there but cannot be read. */
  read(): WriterCatalog
  /** The directories to watch for changes. */
  directories(): string[]
}

/**
 * `metadata/<db>.sql` defines a database; the symbolic link `metadata/<db>` points to the directory with its tables'
 * definitions. The built-in database `default` has only the link.
 */
export function createWriterFiles(dataDir: string, now: () => number = Date.now): WriterFiles {
  const metadataDir = join(dataDir, 'metadata')
  const functionsDir = join(dataDir, 'user_defined')
  const collectionsDir = join(dataDir, 'named_collections')
  const metadata = createDirectoryFiles(metadataDir, now)
  const functions = createDirectoryFiles(functionsDir, now)
  const collections = createDirectoryFiles(collectionsDir, now)
  const tables = new Map<string, { read(): DirectoryListing }>()
  let last: { parts: unknown[]; catalog: WriterCatalog } | undefined
  let hasMetadata = false

  function tablesOf(fileName: string): DirectoryListing {
    const known = tables.get(fileName) ?? createDirectoryFiles(join(metadataDir, fileName), now)
    tables.set(fileName, known)
    return known.read()
  }

  return {
    read() {
      const listing = metadata.read()
      const isEmpty = listing.files.size === 0 && listing.others.size === 0
      // A warehouse does not lose all of its databases, but its directory may be unreachable for a while.
      if (isEmpty && hasMetadata) throw new Error(`${metadataDir} is empty or gone`)
      hasMetadata ||= !isEmpty
      const names = new Set(listing.files.keys())
      if (listing.others.has(builtIn)) names.add(builtIn)
      for (const name of tables.keys()) if (!names.has(name)) tables.delete(name)

      const found = [...names].map((name) => ({ name, listing: tablesOf(name) }))
      const [functionFiles, collectionFiles] = [functions.read(), collections.read()]
      const parts = [listing, functionFiles, collectionFiles, ...found.map((each) => each.listing)]
      if (last && isSameList(last.parts, parts)) return last.catalog
      const databases = new Map<string, WriterDatabase>()
      for (const { name, listing: inside } of found) {
        const definition = listing.files.get(name) ?? ''
        const database = unescapeFileName(name)
        if (database !== null) databases.set(database, { definition, tables: byName(inside.files) })
      }
      const catalog = {
        databases,
        functions: functionFiles.files,
        namedCollections: collectionFiles.files,
      }
      last = { parts, catalog }
      return catalog
    },
    directories: () => [
      metadataDir,
      functionsDir,
      collectionsDir,
      ...[...tables.keys()].map((name) => join(metadataDir, name)),
    ],
  }
}

const builtIn = 'default'

/**
 * Decodes the name of a database or table from its file name, in which every byte but letters, digits and `_` is written
 * as %XX. Null if ClickHouse could not have written this file name for a name in UTF-8.
 */
export function unescapeFileName(fileName: string): string | null {
  if (!/^(?:\w|%[\dA-F]{2})+$/.test(fileName)) return null
  try {
    return decodeURIComponent(fileName)
  } catch {
    return null
  }
}

function byName(files: ReadonlyMap<string, string>): Map<string, string> {
  const named = new Map<string, string>()
  for (const [fileName, file] of files) {
    const name = unescapeFileName(fileName)
    if (name !== null && !isPassing(name)) named.set(name, file)
  }
  return named
}

/** Temporary tables that the writer creates only to exchange them with another table. */
const isPassing = (name: string): boolean => name.startsWith('.tmp.inner') || name.startsWith('_tmp_replace_')

const isSameList = (a: unknown[], b: unknown[]): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index])

import type { Dirent } from 'node:fs'
import { access, constants, opendir, realpath, stat } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { StoreError } from './explain.ts'
import type { FolderPlace } from './place.ts'
import { compareNames, type ListedObject, type ObjectStore } from './store.ts'

/**
 * Files of this machine, under the folders that the operator allows. Names are absolute paths. A link counts as what
 * it points to, and only where that is under an allowed folder too. Names that begin with a dot are passed over.
 */
export function openFolderStore({ pattern }: FolderPlace, roots: readonly string[]): ObjectStore {
  return {
    async list({ prefix, after, signal }) {
      const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1)
      await allowedPath(folder, roots)
      const objects: ListedObject[] = []
      for await (const object of filesOf(folder, { prefix, after, roots, signal })) {
        objects.push(object)
        if (objects.length === pageSize) return { objects, next: object.key }
      }
      return { objects, next: null }
    },
    async probe(key) {
      await access(await allowedPath(key, roots), constants.R_OK).catch(() => {
        throw new StoreError('stop', 'credential', `${pattern}: the server may not read ${key}`)
      })
    },
    close: () => undefined,
  }
}

/** A page reads the folder anew, so it is large. */
const pageSize = 10_000

interface Walk {
  prefix: string
  after: string
  roots: readonly string[]
  signal: AbortSignal
}

/** Depth first, in the order of the paths' bytes: a folder sorts as its name with a slash. */
async function* filesOf(folder: string, walk: Walk): AsyncGenerator<ListedObject> {
  const { prefix, after, roots, signal } = walk
  const names: string[] = []
  for await (const entry of await openFolder(folder)) {
    signal.throwIfAborted()
    if (entry.name.startsWith('.')) continue
    const path = `${folder}${entry.name}${(await isFolder(folder, entry)) ? '/' : ''}`
    if (!path.startsWith(prefix)) continue
    // What is in a folder that sorts before `after` does so too, unless `after` is in that folder.
    const holdsAfter = path.endsWith('/') && after.startsWith(path)
    if (after !== '' && compareNames(path, after) <= 0 && !holdsAfter) continue
    names.push(path)
  }
  for (const path of names.sort(compareNames)) {
    if (path.endsWith('/')) {
      if (await isAllowed(path, roots)) yield* filesOf(path, walk)
      continue
    }
    const file = await readFile(path, roots)
    if (file !== null) yield file
  }
}

async function readFile(path: string, roots: readonly string[]): Promise<ListedObject | null> {
  if (!(await isAllowed(path, roots))) return null
  const found = await stat(path, { bigint: true }).catch(() => null)
  if (!found?.isFile()) return null
  return {
    key: path,
    etag: versionOf(found),
    bytes: Number(found.size),
    modifiedMs: Number(found.mtimeMs),
  }
}

/** What an ETag is for an object: a file that is written or replaced gets another one. */
export const versionOf = ({ ino, mtimeNs }: { ino: bigint; mtimeNs: bigint }): string =>
  `${ino.toString(36)}-${mtimeNs.toString(36)}`

async function openFolder(folder: string) {
  try {
    return await opendir(folder)
  } catch (error) {
    throw new StoreError(
      'stop',
      'bucket',
      `the folder ${folder} cannot be read (${(error as NodeJS.ErrnoException).code})`,
    )
  }
}

async function isFolder(folder: string, entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory()
  return (await stat(join(folder, entry.name)).catch(() => null))?.isDirectory() ?? false
}

const isAllowed = async (path: string, roots: readonly string[]): Promise<boolean> =>
  (await allowedPath(path, roots).catch(() => null)) !== null

/** The path without links; rejects unless it is under an allowed folder. */
export async function allowedPath(path: string, roots: readonly string[]): Promise<string> {
  if (roots.length === 0) {
    throw new StoreError(
      'stop',
      'host',
      'this server reads no files: GRANARY_PIPE_FILE_ROOTS names no folder',
    )
  }
  const real = await realpath(path).catch((error: NodeJS.ErrnoException) => {
    // What is outside of the allowed folders is refused alike, whether it exists or not.
    if (error.code === 'ENOENT' && roots.some((root) => isUnder(path, root)))
      throw new StoreError('stop', 'bucket', `there is no ${path}`)
    throw outside(path)
  })
  for (const root of roots) {
    if (isUnder(real, await realpath(root).catch(() => root))) return real
  }
  throw outside(path)
}

const isUnder = (path: string, root: string): boolean =>
  `${path}${sep}`.replace(/\/+$/, '/').startsWith(`${root.replace(/\/+$/, '')}${sep}`)

const outside = (path: string): StoreError =>
  new StoreError(
    'stop',
    'host',
    `${dirname(`${path}x`)} is not under a folder of GRANARY_PIPE_FILE_ROOTS, nor under files/ in the data directory`,
  )

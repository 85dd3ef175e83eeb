import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const unfinished = '.tmp'

/**
 * Once resolved, the file holds this text even if power fails; before, it holds all of the old or of the new
 * text.
 */
export async function writeDurably(path: string, text: string, step: (name: string) => void): Promise<void> {
  const temporary = `${path}${unfinished}`
  step('write')
  const file = await open(temporary, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  step('rename')
  await rename(temporary, path)
  step('sync')
  await syncDirectory(dirname(path))
}

export async function removeDurably(path: string): Promise<void> {
  await rm(path, { force: true })
  await syncDirectory(dirname(path))
}

/** Creates the directory and its missing parents; their names are on the disk when this resolves. */
export async function makeDirectory(path: string): Promise<void> {
  const topmost = await mkdir(path, { recursive: true, mode: 0o700 })
  if (topmost === undefined) return
  for (let made = path; made.length >= topmost.length; made = dirname(made))
    await syncDirectory(dirname(made))
}

export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/**
 * Syncs all files and directories below the path, because the engine leaves syncing to the operating system. A file
 * that the engine removes meanwhile needs no sync.
 */
export async function syncTree(path: string): Promise<void> {
  const paths = await walk(path)
  const next = paths.values()
  const work = async () => {
    for (const each of next) {
      const file = await open(each, 'r').catch(nullIfMissing)
      await file?.sync().finally(() => file.close())
    }
  }
  await Promise.all(Array.from({ length: 8 }, work))
}

/** The directory and everything below it, as far as it is still there when its own directory is read. */
async function walk(path: string): Promise<string[]> {
  const paths = [path]
  const directories = [path]
  // The list grows while the loop runs.
  for (const directory of directories) {
    const entries = await readdir(directory, { withFileTypes: true }).catch(noneIfMissing)
    for (const entry of entries) {
      const each = join(directory, entry.name)
      paths.push(each)
      if (entry.isDirectory()) directories.push(each)
    }
  }
  return paths
}

/** Files of a directory by name, without incompletely written ones. A missing directory has no files. */
export async function readFiles(path: string): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for (const name of await namesIn(path)) {
    if (name.endsWith(unfinished)) continue
    files.set(name, await readFile(join(path, name), 'utf8'))
  }
  return files
}

export async function namesIn(path: string): Promise<string[]> {
  return (await readdir(path).catch(noneIfMissing)).sort()
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}

function noneIfMissing(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return []
  throw error
}

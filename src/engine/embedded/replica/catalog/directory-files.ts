import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { orGone, stampOf } from './stamp.ts'

/** The contents of a directory. `read` returns the same object for as long as nothing has changed. */
export interface DirectoryListing {
  /** Definitions by file name without `.sql`, except those of permanently detached tables. */
  files: ReadonlyMap<string, string>
  /** The names of all other entries. */
  others: ReadonlySet<string>
}

/**
 * Polls the `.sql` files of one directory while the writer changes them. ClickHouse writes a temporary file and renames
 * it, so every change updates the directory's mtime, and a poll of an unchanged directory costs a single call. The calls
 * block on purpose: behind the engine's queries in libuv's queue they could wait for minutes.
 */
export function createDirectoryFiles(path: string, now: () => number): { read(): DirectoryListing } {
  let listing: DirectoryListing = { files: new Map(), others: new Set() }
  let seen = ''
  let looks = 0
  const texts = new Map<string, { stamp: string; text: string }>()

  function readFile(fileName: string, nowMs: number): string | null {
    const file = join(path, fileName)
    const stamp = stampOf(file, nowMs)
    if (stamp === null) return null
    const known = texts.get(fileName)
    if (known && known.stamp === stamp.value) return known.text
    const text = orGone(() => readFileSync(file, 'utf8'))
    if (text !== null) texts.set(fileName, { stamp: stamp.isAged ? stamp.value : '', text })
    return text
  }

  function look(nowMs: number): DirectoryListing {
    const names = new Set(orGone(() => readdirSync(path)) ?? [])
    const files = new Map<string, string>()
    const others = new Set<string>()
    for (const name of [...names].sort()) {
      if (!name.endsWith(suffix)) others.add(name)
      else if (!names.has(`${name}.detached`)) {
        const text = readFile(name, nowMs)
        // The file is gone since the directory was listed; the directory's mtime has changed, so the next poll sees it.
        if (text !== null) files.set(name.slice(0, -suffix.length), text)
      }
    }
    for (const name of texts.keys()) if (!names.has(name)) texts.delete(name)
    return { files, others }
  }

  return {
    read() {
      const nowMs = now()
      const stamp = stampOf(path, nowMs) ?? { value: 'absent', isAged: true }
      if (stamp.value === seen && ++looks % fullLookEvery !== 0) return listing
      const found = look(nowMs)
      seen = stamp.isAged ? stamp.value : ''
      if (!isSame(found, listing)) listing = found
      return listing
    },
  }
}

const suffix = '.sql'

/** Every so many polls all files are read, for files that were edited in place. */
const fullLookEvery = 64

function isSame(a: DirectoryListing, b: DirectoryListing): boolean {
  if (a.files.size !== b.files.size || a.others.size !== b.others.size) return false
  for (const [name, text] of a.files) if (b.files.get(name) !== text) return false
  for (const name of a.others) if (!b.others.has(name)) return false
  return true
}

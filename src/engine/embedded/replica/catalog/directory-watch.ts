import { type FSWatcher, watch } from 'node:fs'

/**
 * Hints that something changed in one of the directories. Only hints: they may be missing where the platform has
 * none to give or has run out of them, so whoever listens also looks now and then.
 */
export interface DirectoryWatch {
  /** Watches these and no others. */
  set(paths: readonly string[]): void
  close(): void
}

export function createDirectoryWatch(onHint: () => void): DirectoryWatch {
  const watchers = new Map<string, FSWatcher>()

  function forget(path: string): void {
    watchers.get(path)?.close()
    watchers.delete(path)
  }

  function add(path: string): void {
    try {
      const watcher = watch(path, { persistent: false }, (event, name) => {
        // The directory itself was moved or removed: what stands there by then is watched anew.
        if (event === 'rename' && name !== null && path.endsWith(`/${name}`)) forget(path)
        onHint()
      })
      watcher.on('error', () => forget(path))
      watchers.set(path, watcher)
    } catch {
      // Not there yet, or no watchers left; tried again with the next set.
    }
  }

  return {
    set(paths) {
      const wanted = new Set(paths)
      for (const path of watchers.keys()) if (!wanted.has(path)) forget(path)
      for (const path of wanted) if (!watchers.has(path)) add(path)
    },
    close() {
      for (const path of watchers.keys()) forget(path)
    },
  }
}

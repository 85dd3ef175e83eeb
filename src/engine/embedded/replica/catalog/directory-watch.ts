import { type FSWatcher, watch } from 'node:fs'

/**
 * Hints that something changed in one of the directories. Hints may be missing where the platform has no file watchers
 * or has run out of them, so the listener also polls.
 */
export interface DirectoryWatch {
  /** Watches exactly these directories. */
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
        // The directory itself was moved or removed; the next `set` watches the directory that is then at this path.
        if (event === 'rename' && name !== null && path.endsWith(`/${name}`)) forget(path)
        onHint()
      })
      watcher.on('error', () => forget(path))
      watchers.set(path, watcher)
    } catch {
      // The directory does not exist yet, or no watchers are left; the next `set` tries again.
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

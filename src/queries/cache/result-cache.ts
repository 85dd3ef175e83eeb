import type { TimeSpan } from '../sql/query-source.ts'
import type { Changes } from './changes.ts'

/**
 * Results that are kept while no row in their span was added or removed. Each belongs to the statement that gave it
 * (`key`, which names the service and the replica too) and to the version of its table before the statement ran.
 */
export interface ResultCache {
  get<T>(key: string, span: TimeSpan, changes: Changes): T | null
  /** `bytes` is about what the value takes in memory. */
  put(key: string, span: TimeSpan, version: number, value: unknown, bytes: number): void
}

interface Entry {
  value: unknown
  version: number
  bytes: number
}

/** An entry costs about this much besides its value. */
const overheadBytes = 200

/** Forgets what was used longest ago when all together exceed `maxBytes`. */
export function createResultCache(maxBytes: number): ResultCache {
  const entries = new Map<string, Entry>()
  let bytes = 0

  function remove(id: string, entry: Entry): void {
    entries.delete(id)
    bytes -= entry.bytes
  }

  const idOf = (key: string, { startMs, endMs }: TimeSpan): string => `${startMs} ${endMs} ${key}`

  return {
    get<T>(key: string, span: TimeSpan, changes: Changes): T | null {
      const id = idOf(key, span)
      const entry = entries.get(id)
      if (!entry) return null
      const { version } = changes
      if (changes.touched(entry.version, span)) {
        remove(id, entry)
        return null
      }
      entry.version = version
      entries.delete(id)
      entries.set(id, entry)
      return entry.value as T
    },
    put(key, span, version, value, valueBytes) {
      const id = idOf(key, span)
      const entry = { value, version, bytes: valueBytes + overheadBytes }
      if (entry.bytes > maxBytes / 8) return
      const old = entries.get(id)
      if (old) remove(id, old)
      entries.set(id, entry)
      bytes += entry.bytes
      for (const [oldest, its] of entries) {
        if (bytes <= maxBytes) return
        remove(oldest, its)
      }
    },
  }
}

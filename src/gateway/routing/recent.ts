import type { Clock } from '../../lib/clock.ts'

/**
 * A cache of recent lookups. Concurrent callers with the same key share one lookup. While lookups fail, the
 * last answer stays valid for `staleMs`, so that queries continue when the store is down for a while.
 * Forgetting a key also covers lookups in flight: their answers are not kept.
 */
export interface Recent<V> {
  /** Synchronous when the answer is cached. */
  get(key: string, load: () => Promise<V>): V | Promise<V>
  /** The cached answer of any age; undefined = never looked up, or forgotten. */
  peek(key: string): V | undefined
  forget(key: string): void
  forgetAll(): void
}

export interface RecentOptions<V> {
  clock: Clock
  maxAgeMs: number
  staleMs: number
  maxEntries: number
  /** Callers get the old answer while it is being renewed. Not for access rights. */
  isLazy?: boolean
  /** Whether an answer is worth keeping; absent = all are. */
  keep?(value: V): boolean
}

interface Lookup<V> {
  answer: Promise<V> | null
}

export function createRecent<V>(options: RecentOptions<V>): Recent<V> {
  const { clock, maxAgeMs, staleMs, maxEntries, isLazy = false, keep = () => true } = options
  const entries = new Map<string, { value: V; atMs: number }>()
  const running = new Map<string, Lookup<V>>()

  return {
    get(key, load) {
      const entry = entries.get(key)
      const ageMs = entry ? clock.now() - entry.atMs : Number.POSITIVE_INFINITY
      if (entry && ageMs < maxAgeMs) return entry.value
      const answer = running.get(key)?.answer ?? begin(key, load)
      if (!isLazy || !entry || ageMs >= staleMs) return answer
      answer.catch(() => {})
      return entry.value
    },
    peek: (key) => entries.get(key)?.value,
    forget(key) {
      entries.delete(key)
      running.delete(key)
    },
    forgetAll() {
      entries.clear()
      running.clear()
    },
  }

  function begin(key: string, load: () => Promise<V>): Promise<V> {
    const lookup: Lookup<V> = { answer: null }
    running.set(key, lookup)
    const answer = look(key, load, lookup)
    lookup.answer = answer
    return answer
  }

  async function look(key: string, load: () => Promise<V>, lookup: Lookup<V>): Promise<V> {
    const atMs = clock.now()
    try {
      const value = await load()
      if (running.get(key) === lookup) put(key, value, atMs)
      return value
    } catch (error) {
      const last = entries.get(key)
      if (!last || clock.now() - last.atMs >= staleMs) throw error
      return last.value
    } finally {
      if (running.get(key) === lookup) running.delete(key)
    }
  }

  function put(key: string, value: V, atMs: number): void {
    entries.delete(key)
    if (!keep(value)) return
    if (entries.size >= maxEntries) dropOldest()
    entries.set(key, { value, atMs })
  }

  /** A map keeps its insertion order, so the first entry is the one that was renewed longest ago. */
  function dropOldest(): void {
    const { value: oldest, done } = entries.keys().next()
    if (!done) entries.delete(oldest)
  }
}

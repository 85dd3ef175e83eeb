import type { Clock } from '../lib/clock.ts'
import type { StoredKey } from '../store/store.ts'

/**
 * Cache of keys whose credential was checked recently, so that a busy caller is not looked up and hashed each
 * time. A change of any key through this control plane empties the cache at once; the store announces changes
 * made by another control plane, and they take effect after `maxAgeMs` at the latest.
 */
export interface RecentKeys<T> {
  find(credential: string): T | undefined
  /** Begins a look-up. Its result is cached only if no key changed meanwhile. */
  begin(credential: string): (key: T) => void
  forget(): void
}

const maxAgeMs = 1_000
const maxEntries = 1_000

/** `T` is what a credential leads to: a key, or a session with its key. */
export function createRecentKeys<T = StoredKey>(clock: Clock): RecentKeys<T> {
  const entries = new Map<string, { key: T; atMs: number }>()
  let changes = 0
  return {
    find(credential) {
      const entry = entries.get(credential)
      return entry && clock.now() - entry.atMs < maxAgeMs ? entry.key : undefined
    },
    begin(credential) {
      const before = changes
      return (key) => {
        if (changes !== before) return
        if (entries.size >= maxEntries) entries.clear()
        entries.set(credential, { key, atMs: clock.now() })
      }
    },
    forget() {
      changes += 1
      entries.clear()
    },
  }
}

import type { Clock } from '../lib/clock.ts'
import type { StoredKey } from '../store/store.ts'

/**
 * Keys whose credential was checked a moment ago, so that a busy caller is not looked up and hashed anew each
 * time. Every change of a key empties it here at once; a change made by another control plane is told by the
 * store, and seen after `maxAgeMs` at the latest.
 */
export interface RecentKeys {
  find(authorization: string): StoredKey | undefined
  /** Begins a look-up. What it found is kept only if no key changed meanwhile. */
  begin(authorization: string): (key: StoredKey) => void
  forget(): void
}

const maxAgeMs = 1_000
const maxEntries = 1_000

export function createRecentKeys(clock: Clock): RecentKeys {
  const entries = new Map<string, { key: StoredKey; atMs: number }>()
  let changes = 0
  return {
    find(authorization) {
      const entry = entries.get(authorization)
      return entry && clock.now() - entry.atMs < maxAgeMs ? entry.key : undefined
    },
    begin(authorization) {
      const before = changes
      return (key) => {
        if (changes !== before) return
        if (entries.size >= maxEntries) entries.clear()
        entries.set(authorization, { key, atMs: clock.now() })
      }
    },
    forget() {
      changes += 1
      entries.clear()
    },
  }
}

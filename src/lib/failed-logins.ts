import type { Clock } from './clock.ts'

/**
 * Limits failed logins by address, in fixed windows: secrets are hashed only once, so guessing must not be
 * quick. A credential that was right at its last use is not locked out by a stranger behind the same address.
 * The counts are in memory: a restart, or another control plane, starts from zero.
 */
export interface FailedLogins {
  /** How long this address has to wait before this credential is checked; 0 = no wait. */
  waitMs(address: string, credential: string): number
  failed(address: string, credential: string): void
  succeeded(credential: string): void
}

export const maxFailures = 20
export const failureWindowMs = 10_000
const maxAddresses = 100_000
const maxProven = 10_000

/** Credentials are passed as digests, so no secret is kept here. */
export function createFailedLogins(clock: Clock): FailedLogins {
  const proven = new Set<string>()
  let failures = new Map<string, number>()
  let windowEndsMs = 0

  return {
    waitMs(address, credential) {
      const nowMs = clock.now()
      if (nowMs >= windowEndsMs) {
        // All addresses share the window's edges, so one assignment resets everything.
        windowEndsMs = nowMs + failureWindowMs
        failures = new Map()
      }
      if (proven.has(credential)) return 0
      return (failures.get(address) ?? 0) < maxFailures ? 0 : windowEndsMs - nowMs
    },
    failed(address, credential) {
      proven.delete(credential)
      if (failures.size >= maxAddresses) failures.clear()
      failures.set(address, (failures.get(address) ?? 0) + 1)
    },
    succeeded(credential) {
      // Added again, so that the first of the set is always the least recently used.
      proven.delete(credential)
      if (proven.size >= maxProven) proven.delete(proven.values().next().value ?? '')
      proven.add(credential)
    },
  }
}

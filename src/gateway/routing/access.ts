import type { EndpointAccess } from '../../domain/service/endpoint.ts'
import type { Clock } from '../../lib/clock.ts'
import { createIpMatcher } from '../../lib/ip-list.ts'
import type { GatewayLookups } from '../lookups.ts'
import { createRecent } from './recent.ts'

/** A service's access rules, with its IP access list ready for lookups. */
export interface KnownService {
  access: EndpointAccess
  admits(address: string): boolean
}

export interface AccessCache {
  /** null = there is no such service. */
  get(serviceId: string): KnownService | null | Promise<KnownService | null>
  forget(serviceId: string): void
  forgetAll(): void
}

export function createAccessCache({
  clock,
  lookups,
}: {
  clock: Clock
  lookups: Pick<GatewayLookups, 'access'>
}): AccessCache {
  // Changes by this process call `forget`; changes by another process are seen after a second at the latest.
  const recent = createRecent<KnownService | null>({
    clock,
    maxAgeMs: 1_000,
    staleMs: 30_000,
    maxEntries: 10_000,
  })
  return {
    get: (serviceId) =>
      recent.get(serviceId, async () => {
        const access = await lookups.access(serviceId)
        return access && { access, admits: createDoor(access) }
      }),
    forget: recent.forget,
    forgetAll: recent.forgetAll,
  }
}

/** Remembers the last answer, because clients come from the same address again and again. */
function createDoor({ ipAccessList }: EndpointAccess): (address: string) => boolean {
  const matches = createIpMatcher(ipAccessList.map((entry) => entry.source))
  let last = { address: '', answer: false }
  return (address) => {
    if (address !== last.address) last = { address, answer: matches(address) }
    return last.answer
  }
}

import type { EndpointAccess } from '../../domain/service/endpoint.ts'
import type { Clock } from '../../lib/clock.ts'
import { createIpMatcher } from '../../lib/ip-list.ts'
import type { GatewayLookups } from '../lookups.ts'
import { createRecent } from './recent.ts'

/** What is known of a service, with its IP access list ready to be asked. */
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
  // A change made by this process is told; one made by another is seen after this second at the latest.
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

/** Clients come from the same address again and again: the last answer is kept. */
function createDoor({ ipAccessList }: EndpointAccess): (address: string) => boolean {
  const matches = createIpMatcher(ipAccessList.map((entry) => entry.source))
  let last = { address: '', answer: false }
  return (address) => {
    if (address !== last.address) last = { address, answer: matches(address) }
    return last.answer
  }
}

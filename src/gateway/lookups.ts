import type { EndpointAccess } from '../domain/service/endpoint.ts'
import type { UserRole } from '../domain/service/user.ts'
import type { EngineObservation } from '../engine/engine.ts'

/** What the gateway asks the rest of the product. It caches the answers for a moment, see each cache. */
export interface GatewayLookups {
  /** null = there is no such service. */
  access(serviceId: string): Promise<EndpointAccess | null>
  /** null = no such user, or a wrong password; callers must not learn which. */
  verifyPassword(serviceId: string, user: string, password: string): Promise<{ role: UserRole } | null>
  /** Records the intent to wake. Idempotent; resolves when the intent is recorded, not when the service is up. */
  wake(serviceId: string): Promise<void>
  observe(serviceId: string): Promise<EngineObservation>
  /** Roughly how long a sleeping service takes to answer. */
  wakeEstimateMs(): number
  /** How long a write may take to become visible on every replica. */
  readerLagMs(): number
}

import type { EndpointAccess } from '../domain/service/endpoint.ts'
import type { UserRole } from '../domain/service/user.ts'
import type { EngineObservation } from '../engine/engine.ts'

/** What the gateway asks the rest of the product for. It remembers the answers for a moment, see each cache. */
export interface GatewayLookups {
  /** null = there is no such service. */
  access(serviceId: string): Promise<EndpointAccess | null>
  /** null = no such user, or not its password; which of the two is nobody's business. */
  verifyPassword(serviceId: string, user: string, password: string): Promise<{ role: UserRole } | null>
  /** Writes the intent that the service is awake. Idempotent; resolves when it is written, not when it is true. */
  wake(serviceId: string): Promise<void>
  observe(serviceId: string): Promise<EngineObservation>
  /** Roughly how long a sleeping service takes until it answers. */
  wakeEstimateMs(): number
  /** How long a write may take to be seen by every replica. */
  readerLagMs(): number
}

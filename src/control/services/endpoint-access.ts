import { automaticOf } from '../../domain/service/automatic.ts'
import type { ServiceState } from '../../domain/service/types.ts'
import type { UserRole } from '../../domain/service/user.ts'
import type { SecretBox } from '../../store/secret-box.ts'
import type { Store } from '../../store/store.ts'

/** What an endpoint must know of its service before it lets a query in. */
export interface EndpointAccess {
  serviceId: string
  warehouseId: string
  isPrimary: boolean
  /** The service whose first replica writes; '' when the warehouse has lost it. */
  primaryServiceId: string
  state: ServiceState
  reason: string
  power: 'on' | 'off'
  asleep: boolean
  readOnly: boolean
  ipAccessList: { source: string }[]
}

export async function readAccess({ services }: Store, serviceId: string): Promise<EndpointAccess | null> {
  const service = await services.find(serviceId)
  if (!service || service.spec.deleting) return null
  const { spec, status, warehouseId, isPrimary, organizationId } = service
  const primary = isPrimary ? service : await services.primaryOf(organizationId, warehouseId)
  return {
    serviceId,
    warehouseId,
    isPrimary,
    primaryServiceId: primary?.id ?? '',
    state: status.state,
    reason: status.reason,
    power: spec.power,
    asleep: automaticOf(spec).asleep,
    readOnly: spec.isReadonly,
    ipAccessList: spec.ipAccessList,
  }
}

/** The built-in user of every service, whose password is the service's own. */
const builtInUser = 'default'

/** null when there is no such user, or the password is another. */
export async function checkPassword(
  { store, secretBox }: { store: Store; secretBox: SecretBox },
  serviceId: string,
  user: string,
  password: string,
): Promise<{ role: UserRole } | null> {
  const known = user === builtInUser ? null : await store.serviceUsers.findByName(serviceId, user)
  const hash = user === builtInUser ? await store.services.passwordHash(serviceId) : known?.passwordHash
  if (!hash || !secretBox.matches(password, hash)) return null
  return { role: known?.role ?? 'readWrite' }
}

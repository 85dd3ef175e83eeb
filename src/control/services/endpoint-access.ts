import { automaticOf } from '../../domain/service/automatic.ts'
import type { EndpointAccess } from '../../domain/service/endpoint.ts'
import type { UserRole } from '../../domain/service/user.ts'
import type { SecretBox } from '../../store/secret-box.ts'
import type { Store } from '../../store/store.ts'

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
    power: spec.power,
    asleep: automaticOf(spec).asleep,
    readOnly: spec.isReadonly,
    ipAccessList: spec.ipAccessList,
  }
}

/** The built-in user of every service, whose password is the service's own. */
const builtInUser = 'default'

/** null = there is no such user, or the password is wrong. */
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

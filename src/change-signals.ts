import type { ControlContext } from './control/context.ts'
import type { Gateway } from './gateway/gateway.ts'
import type { Authenticator } from './http/auth.ts'
import type { Driver } from './reconcile/driver.ts'
import type { StoreChange } from './store/store.ts'

/**
 * Tells the caches and loops that a change concerns, and no others: when one service wakes, the gateway keeps
 * what it has cached about all other services, and every password.
 */
export interface ChangeSignals extends Pick<ControlContext, 'wake' | 'keysChanged' | 'loginsChanged'> {
  /** Another control plane wrote to the store; null = the kind of change is unknown. */
  heard(change: StoreChange | null): void
}

export function createChangeSignals({
  driver,
  gateway,
  authenticator,
}: {
  driver: Pick<Driver, 'wake'>
  gateway: Pick<Gateway, 'forgetAccess' | 'forgetLogins' | 'forgetAll'>
  authenticator: Pick<Authenticator, 'forget'>
}): ChangeSignals {
  return {
    wake(kind, id) {
      // The intent includes the list of addresses that may connect.
      if (kind === 'service' && id !== undefined) gateway.forgetAccess(id)
      driver.wake(kind)
    },
    keysChanged: () => authenticator.forget(),
    loginsChanged: (serviceId) => gateway.forgetLogins(serviceId),
    heard(change) {
      if (change?.kind === 'key') return authenticator.forget()
      if (change?.kind === 'login') return gateway.forgetLogins(change.id)
      if (change === null) {
        authenticator.forget()
        gateway.forgetAll()
      } else gateway.forgetAccess(change.id)
      driver.wake()
    },
  }
}

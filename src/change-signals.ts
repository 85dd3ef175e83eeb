import type { ControlContext } from './control/context.ts'
import type { Gateway } from './gateway/gateway.ts'
import type { Authenticator } from './http/auth.ts'
import type { Driver } from './reconcile/driver.ts'
import type { StoreChange } from './store/store.ts'

/**
 * Tells of a change those who remember or work on what changed, and nobody else: a wake of one service leaves what
 * is known of all others, and of every password, where it is.
 */
export interface ChangeSignals extends Pick<ControlContext, 'wake' | 'keysChanged' | 'loginsChanged'> {
  /** Another control plane wrote something; null = what it was is not known. */
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
      // Who may connect can have changed with the intent.
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

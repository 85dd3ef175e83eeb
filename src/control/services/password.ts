import { randomText } from '../../lib/ids.ts'
import type { SecretBox } from '../../store/secret-box.ts'
import {
  type Caller,
  type ControlContext,
  loadOrganization,
  loadService,
  recordActivity,
  requireState,
} from '../context.ts'

/**
 * Sets a new password: one generated here and answered once, or the hash of a password that the caller keeps.
 */
export async function resetPassword(
  context: ControlContext,
  caller: Caller,
  serviceId: string,
  body: { newPasswordHash?: string },
): Promise<{ password: string }> {
  const { store, clock, secretBox, loginsChanged } = context
  const { password, hash } = choosePassword(secretBox, body.newPasswordHash)
  await store.transaction(async (tx) => {
    await loadOrganization(tx, caller, 'share')
    const service = await loadService(tx, caller, serviceId)
    requireState(service, 'change')
    await tx.services.setPassword(serviceId, hash, clock.now())
    await recordActivity(tx, clock, caller, {
      type: 'service_update_password',
      serviceId,
      resourceId: serviceId,
      after: { password: 'changed' },
    })
  })
  loginsChanged(serviceId)
  return { password }
}

/**
 * A new password and its hash, or '' and the hash of the password whose SHA-256 (in base64) the caller sent.
 */
export function choosePassword(secretBox: SecretBox, sha256?: string): { password: string; hash: string } {
  if (sha256 !== undefined) {
    return { password: '', hash: secretBox.hashDigest(Buffer.from(sha256, 'base64')) }
  }
  const password = newPassword()
  return { password, hash: secretBox.hash(password) }
}

export const newPassword = (): string => randomText(32)

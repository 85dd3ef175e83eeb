import { randomText } from '../../lib/ids.ts'
import { type Caller, type ControlContext, loadService, recordActivity, requireState } from '../context.ts'

/** Gives a service a new password: one made here and answered once, or the hash of one that the caller keeps. */
export async function resetPassword(
  context: ControlContext,
  caller: Caller,
  serviceId: string,
  body: { newPasswordHash?: string },
): Promise<{ password: string }> {
  const { store, clock, secretBox } = context
  const password = body.newPasswordHash === undefined ? newPassword() : ''
  const hash =
    body.newPasswordHash === undefined
      ? secretBox.hash(password)
      : secretBox.hashDigest(Buffer.from(body.newPasswordHash, 'base64'))
  await store.transaction(async (tx) => {
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
  return { password }
}

export const newPassword = (): string => randomText(32)

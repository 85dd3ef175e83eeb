import type { Socket } from 'node:net'

/**
 * Whose request it is. A proxy that is trusted tells for whom it asks, and each one adds whom it heard it from: the
 * last one in `X-Forwarded-For` that is not itself a trusted proxy is the client. What stands before it, anybody can write.
 */
export function clientAddress(
  { remoteAddress = '' }: Pick<Socket, 'remoteAddress'>,
  forwardedFor: string,
  isProxy: (address: string) => boolean,
): string {
  let address = remoteAddress
  if (forwardedFor === '' || !isProxy(address)) return address
  for (const told of forwardedFor.split(',').reverse()) {
    address = told.trim()
    if (!isProxy(address)) break
  }
  return address
}

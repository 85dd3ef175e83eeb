import type { Socket } from 'node:net'

/**
 * The address of the client. Each trusted proxy appends the address it heard the request from, so the last
 * address in `X-Forwarded-For` that is not itself a trusted proxy is the client. Anyone can forge the
 * addresses before it.
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

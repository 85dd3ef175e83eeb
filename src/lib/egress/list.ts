import {
  type AddressBytes,
  type AddressRange,
  addressText,
  isWithin,
  kindOf,
  readRange,
  withoutTunnel,
} from './address.ts'

/**
 * Where a part of the product may connect to: public addresses, plus those in the list. `private` adds this
 * machine and private networks, `any` adds everything; link-local addresses need `any` or an entry of their
 * own.
 */
export interface EgressList {
  widest: 'public' | 'private' | 'any'
  ranges: readonly AddressRange[]
}

/** `text`: words, addresses and CIDR ranges, separated by commas. Throws for anything else. */
export function readEgressList(text: string): EgressList {
  const parts = text.split(',').map((part) => part.trim())
  const ranges: AddressRange[] = []
  let widest: EgressList['widest'] = 'public'
  for (const part of parts) {
    const range = readRange(part)
    if (range !== null) ranges.push(range)
    else if (part === 'any' || (part === 'private' && widest !== 'any')) widest = part
    else if (part !== 'public' && part !== 'private')
      throw new Error('must be addresses, CIDR ranges, public, private or any, separated by commas')
  }
  return { widest, ranges }
}

export function isAllowed({ widest, ranges }: EgressList, address: AddressBytes): boolean {
  const kind = kindOf(address)
  if (widest === 'any' || kind === 'public' || kind === widest) return true
  const inner = withoutTunnel(address)
  return ranges.some((range) => isWithin(address, range) || isWithin(inner, range))
}

/** `setting`: the option that would allow the connection. */
export const refusalText = (who: string, address: AddressBytes, port: number, setting: string): string =>
  `${who} may not connect to ${addressText(address)}${port === 0 ? '' : ` port ${port}`}: ${kindText[kindOf(address)]} addresses are refused unless ${setting} holds them`

const kindText = { public: 'these', private: 'private', special: 'link-local and reserved' }

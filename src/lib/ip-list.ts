import { BlockList, isIP, SocketAddress } from 'node:net'

/** Whether a text is an entry of an access list: an IPv4 or IPv6 address, or a CIDR range of either. */
export const isIpSource = (text: string): boolean => parseSource(text) !== undefined

/**
 * Tells whether an address is in any of the sources; an empty list contains no address. Families stay apart:
 * `::/0` is every IPv6 address and no IPv4 one. A client that came over IPv4 to an IPv6 socket
 * (`::ffff:1.2.3.4`) counts as IPv4. A text that is not an address is in no list.
 */
export function createIpMatcher(sources: readonly string[]): (address: string) => boolean {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const source of sources) {
    const range = parseSource(source)
    if (range === undefined) throw new Error('not an address or CIDR range')
    lists[range.family].addSubnet(range.address, range.prefix, range.family)
  }
  return (address) => {
    const parsed = parseAddress(withoutZone(address))
    return parsed !== undefined && lists[parsed.family].check(parsed.address, parsed.family)
  }
}

interface Address {
  address: string
  family: 'ipv4' | 'ipv6'
}

// Host bits below the prefix are allowed and ignored: 10.1.2.3/8 is 10.0.0.0/8.
function parseSource(text: string): (Address & { prefix: number }) | undefined {
  const [, host = text, digits] = /^(.*)\/(0|[1-9]\d{0,2})$/s.exec(text) ?? []
  // A zone names an interface of one machine, so it cannot stand in a list.
  if (host.includes('%')) return undefined
  const parsed = parseAddress(host)
  if (parsed === undefined) return undefined
  const bits = isIP(host) === 4 ? 32 : 128
  const prefix = digits === undefined ? bits : Number(digits)
  if (prefix > bits) return undefined
  if (parsed.family === 'ipv4' && bits === 128) {
    // Wider than the mapped block, the range is an IPv6 range in this notation.
    return prefix < 96 ? { address: host, family: 'ipv6', prefix } : { ...parsed, prefix: prefix - 96 }
  }
  return { ...parsed, prefix }
}

/** Parses an address; an IPv4-mapped one becomes its IPv4 address. */
function parseAddress(text: string): Address | undefined {
  const version = isIP(text)
  if (version === 0) return undefined
  if (version === 4) return { address: text, family: 'ipv4' }
  const { address } = new SocketAddress({ address: text, family: 'ipv6' })
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address) ?? []
  return mapped === undefined ? { address, family: 'ipv6' } : { address: mapped, family: 'ipv4' }
}

const withoutZone = (address: string): string =>
  isIP(address) === 6 ? address.replace(/%.*$/s, '') : address

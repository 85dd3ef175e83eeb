/**
 * The kind of an address by IANA's registries of special addresses (RFC 6890). An IPv6 address that embeds an
 * IPv4 one (mapped, compatible, translated, NAT64, 6to4) has the kind of that IPv4 address.
 */
export type AddressKind = 'public' | 'private' | 'special'

/** 4 bytes of an IPv4 address, or 16 of an IPv6 one. */
export type AddressBytes = readonly number[] | Uint8Array

export interface AddressRange {
  bytes: readonly number[]
  /** Length of the prefix. */
  bits: number
}

/**
 * `private`: this machine and its networks. `special`: link-local addresses, where clouds serve a machine's
 * credentials; other addresses of such services; multicast and reserved ones.
 */
export function kindOf(address: AddressBytes): AddressKind {
  const bytes = withoutTunnel(address)
  const entries = bytes.length === 4 ? ipv4 : ipv6
  return entries.find(([range]) => isWithin(bytes, range))?.[1] ?? (bytes.length === 4 ? 'public' : 'special')
}

/** The IPv4 address that an IPv6 one embeds, or the address itself. */
export function withoutTunnel(address: AddressBytes): AddressBytes {
  if (address.length === 4) return address
  const tunnel = tunnels.find(([range]) => isWithin(address, range))
  // `::` and `::1` embed no IPv4 address.
  if (tunnel === undefined || isWithin(address, selfRange)) return address
  return address.slice(tunnel[1], tunnel[1] + 4)
}

export function isWithin(address: AddressBytes, { bytes, bits }: AddressRange): boolean {
  if (address.length !== bytes.length) return false
  for (let index = 0; index * 8 < bits; index++) {
    const mask = (0xff << Math.max(0, 8 - (bits - index * 8))) & 0xff
    if (((address[index] ?? 0) & mask) !== ((bytes[index] ?? 0) & mask)) return false
  }
  return true
}

/** An address as text, with or without `/bits`; null = the text is neither. */
export function readRange(text: string): AddressRange | null {
  const [, address = '', digits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const bytes = readAddress(address)
  if (bytes === null) return null
  const bits = digits === undefined ? bytes.length * 8 : Number(digits)
  return bits > bytes.length * 8 ? null : { bytes, bits }
}

/** Only the usual notations: four decimal numbers, or colons. */
export function readAddress(text: string): number[] | null {
  return text.includes(':') ? readIpv6(text) : readIpv4(text)
}

function readIpv4(text: string): number[] | null {
  if (!/^(0|[1-9]\d{0,2})(\.(0|[1-9]\d{0,2})){3}$/.test(text)) return null
  const bytes = text.split('.').map(Number)
  return bytes.every((byte) => byte < 256) ? bytes : null
}

function readIpv6(text: string): number[] | null {
  const url = `http://[${text}]`
  if (!/^[0-9a-f:.]+$/i.test(text) || !URL.canParse(url)) return null
  const [head = '', tail = ''] = new URL(url).hostname.slice(1, -1).split('::')
  const [left, right] = [readGroups(head), readGroups(tail)]
  return [...left, ...new Array<number>(16 - left.length - right.length).fill(0), ...right]
}

function readGroups(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}

export function addressText(address: AddressBytes): string {
  if (address.length === 4) return [...address].join('.')
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((address[index * 2] ?? 0) << 8) | (address[index * 2 + 1] ?? 0)).toString(16),
  )
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

function range(text: string): AddressRange {
  const read = readRange(text)
  if (read === null) throw new Error(`${text} is no range of addresses`)
  return read
}

const table = (entries: Record<string, AddressKind>): [AddressRange, AddressKind][] =>
  Object.entries(entries).map(([text, kind]) => [range(text), kind])

const selfRange = range('::/127')

/** Ranges of IPv6 addresses that embed an IPv4 one, and the offset of the IPv4 address. */
const tunnels: [AddressRange, number][] = [
  [range('::/96'), 12],
  [range('::ffff:0:0/96'), 12],
  [range('::ffff:0:0:0/96'), 12],
  [range('64:ff9b::/96'), 12],
  [range('2002::/16'), 2],
]

/** The first matching range counts. */
const ipv4 = table({
  // Clouds serve a machine's credentials and settings at these addresses, outside of the link-local range.
  '100.100.100.200': 'special',
  '168.63.129.16': 'special',
  '192.0.0.192': 'special',
  '0.0.0.0/8': 'private',
  '10.0.0.0/8': 'private',
  '100.64.0.0/10': 'private',
  '127.0.0.0/8': 'private',
  '169.254.0.0/16': 'special',
  '172.16.0.0/12': 'private',
  '192.0.0.0/24': 'private',
  '192.0.2.0/24': 'special',
  '192.88.99.0/24': 'special',
  '192.168.0.0/16': 'private',
  '198.18.0.0/15': 'private',
  '198.51.100.0/24': 'special',
  '203.0.113.0/24': 'special',
  '224.0.0.0/3': 'special',
})

/** Outside of 2000::/3 nothing is public. */
const ipv6 = table({
  'fd00:ec2::/32': 'special',
  'fd20:ce::/32': 'special',
  '::/127': 'private',
  '64:ff9b:1::/48': 'private',
  'fc00::/7': 'private',
  'fec0::/10': 'private',
  '2001::/23': 'special',
  '2001:db8::/32': 'special',
  '3fff::/20': 'special',
  '2000::/3': 'public',
})

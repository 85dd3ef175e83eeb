import { type LookupAddress, lookup } from 'node:dns'
import { Agent } from 'node:http'
import { Agent as SecureAgent } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { readAddress } from './address.ts'
import { type EgressList, isAllowed, refusalText } from './list.ts'

/** Where a part of the product may connect to, and the words that name that part and its option in errors. */
export interface EgressPolicy {
  list: EgressList
  /** As in "Backups may not connect to …". */
  who: string
  /** The name of the option that holds the list. */
  setting: string
}

export class EgressRefused extends Error {
  override name = 'EgressRefused'
  readonly code = 'EGRESS_REFUSED'
}

/**
 * Agents whose sockets connect to allowed addresses only, checked after name resolution; also for redirects.
 */
export function createGuardedAgents(policy: EgressPolicy): { httpAgent: Agent; httpsAgent: SecureAgent } {
  const options = { keepAlive: true, maxSockets: 50, lookup: createGuardedLookup(policy) }
  return {
    httpAgent: refuseLiterals(new Agent(options), policy),
    httpsAgent: refuseLiterals(new SecureAgent(options), policy),
  }
}

/** A `lookup` for sockets that returns only the allowed addresses of a name. */
export function createGuardedLookup(policy: EgressPolicy): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '', 0)
      const allowed = found.filter(({ address }) => isAddressAllowed(policy, address))
      const [first] = allowed
      if (first === undefined) return callback(refusal(policy, found[0]?.address ?? hostname, 0), '', 0)
      if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}

/** All allowed addresses of a host; rejects with EgressRefused if it has none. */
export async function resolveAllowed(policy: EgressPolicy, hostname: string): Promise<number[][]> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const found = await new Promise<LookupAddress[]>((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)))
  })
  const allowed = found.filter(({ address }) => isAddressAllowed(policy, address))
  if (allowed.length === 0) throw refusal(policy, found[0]?.address ?? host, 0)
  return allowed.map(({ address }) => bytesOf(address)).filter((bytes) => bytes !== null)
}

/** Checks literal addresses here, because sockets call no `lookup` for them. */
function refuseLiterals<A extends Agent>(agent: A, policy: EgressPolicy): A {
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (options, callback) => {
    const { host, port } = options as { host?: string | null; port?: number | string }
    if (!isIP(host ?? '') || isAddressAllowed(policy, host ?? '')) return connect(options, callback)
    callback?.(refusal(policy, host ?? '', Number(port ?? 0)), undefined as never)
    return undefined
  }
  return agent
}

/** Drops the name of the interface, as in `fe80::1%eth0`. */
const bytesOf = (address: string): number[] | null => readAddress(address.replace(/%.*$/, ''))

function isAddressAllowed({ list }: EgressPolicy, address: string): boolean {
  const bytes = bytesOf(address)
  return bytes !== null && isAllowed(list, bytes)
}

function refusal({ who, setting }: EgressPolicy, address: string, port: number): EgressRefused {
  return new EgressRefused(refusalText(who, bytesOf(address) ?? [], port, setting))
}

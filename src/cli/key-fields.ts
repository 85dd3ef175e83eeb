import { InvalidArgumentError, Option } from 'commander'
import { type KeyRole, keyRoles } from '../domain/key/types.ts'
import { usageError } from './failure.ts'
import { serviceId } from './operands.ts'
import { defined, parseIps, repeatedOption } from './options.ts'
import type { Session } from './session.ts'
import { parseDuration } from './units.ts'

/** The options that creating and changing a key have in common. */
export const keyOptions = [
  repeatedOption('--role <role>', `for the whole organization: ${keyRoles.join(' or ')}`),
  repeatedOption('--grant <service=role>', 'for one service, by id or name'),
  new Option('--expires <when>', 'a time (ISO 8601), a span from now (30d), or never').argParser(parseExpiry),
  repeatedOption('--ip <source[=description]>', 'address or range from which it may be used'),
]

export interface KeyFlags {
  role?: string[]
  grant?: string[]
  expires?: Expiry
  ip?: string[]
}

type Expiry = { never: true } | { at: string } | { afterMs: number }

export async function keyFields(session: Session, { role, grant, expires, ip }: KeyFlags) {
  return defined({
    roles: role?.map(toRole),
    serviceGrants: grant && (await Promise.all(grant.map((text) => toGrant(session, text)))),
    expireAt: expires && toTime(expires, session.io.clock.now()),
    ipAccessList: parseIps(ip),
  })
}

function parseExpiry(text: string): Expiry {
  if (text === 'never') return { never: true }
  if (/^\d+[smhd]$/.test(text)) return { afterMs: parseDuration(text) }
  if (!/^\d{4}-/.test(text) || Number.isNaN(Date.parse(text))) {
    throw new InvalidArgumentError('write a time as 2030-01-31T00:00:00Z, a span as 30d, or never.')
  }
  return { at: new Date(text).toISOString() }
}

function toTime(expiry: Expiry, nowMs: number): string | null {
  if ('never' in expiry) return null
  return 'at' in expiry ? expiry.at : new Date(nowMs + expiry.afterMs).toISOString()
}

async function toGrant(session: Session, text: string): Promise<{ serviceId: string; role: KeyRole }> {
  // A service may be given by any text; role names have no =, so the role follows the last =.
  const at = text.lastIndexOf('=')
  if (at <= 0) throw usageError('write a grant as <service>=<role>')
  return { serviceId: await serviceId(session, text.slice(0, at)), role: toRole(text.slice(at + 1)) }
}

function toRole(text: string): KeyRole {
  const role = keyRoles.find((known) => known === text)
  if (!role) throw usageError(`a role is ${keyRoles.join(' or ')}, not ${text}`)
  return role
}

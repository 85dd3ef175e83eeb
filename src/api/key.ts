import { keyGrants, keyKinds, keyName, keyRoles, keyStates } from '../domain/key/types.ts'
import { closed, dateTime, list, oneOf, optional, Type, text, uuid } from './schema.ts'
import { IpAccessList } from './service.ts'

const grant = closed({
  serviceId: uuid('The service.'),
  role: oneOf(
    keyRoles,
    'admin: every change of that service, its pipes and backups. developer: reading them.',
  ),
})
const roles = Type.Array(oneOf(keyRoles, 'admin or developer.'), {
  uniqueItems: true,
  maxItems: keyRoles.length,
  description: 'For the whole organization. admin: everything; developer: reading.',
})
const grants = list(grant, 'What the key may do on single services, beside its roles.', {
  maxItems: keyGrants.max,
})
const name = text('What it is for.', { minLength: keyName.min, maxLength: keyName.max })
const expireAt = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  format: 'date-time',
  description: 'When it ends to work; null for never.',
})

export const KeyCreateBody = closed({
  name,
  kind: optional(
    oneOf(
      keyKinds,
      'management: key id and secret for /v1. dashboard: a bearer token for /api/v2. Default management.',
    ),
  ),
  state: optional(oneOf(keyStates, 'Default enabled.')),
  roles: optional(roles),
  serviceGrants: optional(grants),
  expireAt: optional(expireAt),
  ipAccessList: optional(IpAccessList),
})

export const KeyPatchBody = closed({
  name: optional(name),
  state: optional(oneOf(keyStates, 'A disabled key is refused like an unknown one.')),
  roles: optional(roles),
  serviceGrants: optional(grants),
  expireAt: optional(expireAt),
  ipAccessList: optional(IpAccessList),
})

export const Key = closed({
  id: uuid('The key, as paths name it. It is not what one logs in with.'),
  name: text('What it is for.'),
  kind: oneOf(keyKinds, 'Which API it is for.'),
  state: oneOf(keyStates, 'Whether it works.'),
  roles: list(oneOf(keyRoles, 'Role.'), 'For the whole organization.'),
  serviceGrants: list(
    closed({ serviceId: text('The service.'), role: oneOf(keyRoles, 'Role.') }),
    'For single services.',
  ),
  keySuffix: text('The last four characters of the key id or token.'),
  createdAt: dateTime('When it was created.'),
  expireAt,
  usedAt: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'date-time',
    description: 'When it was last used, to the minute; null for not yet.',
  }),
  ipAccessList: list(
    closed({ source: text('Address or range.'), description: text('What it is.') }),
    'From where it may be used. Empty: nowhere.',
  ),
})

export const KeyWithSecret = closed({
  key: Key,
  keyId: text('Management keys: the user name of Basic authentication. Else empty.'),
  keySecret: text('Management keys: the password. Shown once. Else empty.'),
  token: text('Dashboard keys: the bearer token. Shown once. Else empty.'),
})

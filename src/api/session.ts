import { permissions } from '../domain/key/permissions.ts'
import { keyKinds, keyRoles } from '../domain/key/types.ts'
import { Key } from './key.ts'
import { Organization } from './organization.ts'
import { closed, dateTime, flag, list, oneOf, optional, Type, text, uuid } from './schema.ts'

/** Never longer than a credential that works; no characters that a credential cannot have. */
const credential = (description: string, pattern: string) =>
  Type.String({ description, minLength: 1, maxLength: 512, pattern })

export const SignInBody = closed({
  keyId: optional(credential('The id of a management key; with `keySecret`.', '^[^:\\x00-\\x1f\\x7f]*$')),
  keySecret: optional(credential('The secret of that key.', '^[^\\x00-\\x1f\\x7f]*$')),
  token: optional(credential('A dashboard token, in place of a key.', '^[\\x21-\\x7e]*$')),
})

const permission = oneOf(permissions, 'What an operation asks for, as its description names it.')
const nullableTime = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description })

export const Identity = closed({
  id: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'uuid',
    description: 'The session; null where the request came with a key or token of its own.',
  }),
  expireAt: nullableTime('When it ends unless it is used; null for never.'),
  organization: Organization,
  key: closed({
    id: uuid('The key, as paths name it.'),
    name: text('What it is for.'),
    kind: oneOf(keyKinds, 'A dashboard token reaches /api/v2 only.'),
    roles: list(oneOf(keyRoles, 'Role.'), 'For the whole organization.'),
    serviceGrants: Key.properties.serviceGrants,
    expireAt: nullableTime('When the key ends to work; null for never.'),
  }),
  permissions: list(permission, 'What the key may do in the whole organization.'),
  services: Type.Unsafe<'all' | { serviceId: string; permissions: (typeof permissions)[number][] }[]>({
    description: 'The services that the key sees: all, or those granted with what it may do on each.',
    anyOf: [
      { type: 'string', enum: ['all'] },
      {
        type: 'array',
        items: closed({
          serviceId: text('The service.'),
          permissions: list(permission, 'What the key may do on it.'),
        }),
      },
    ],
  }),
})

export const Session = closed({
  id: uuid('The session.'),
  keyId: uuid('The key that it was begun with.'),
  keyName: text('Its name.'),
  createdAt: dateTime('When it was begun.'),
  usedAt: dateTime('When it was last used, to the minute.'),
  ipAddress: text('From where it was begun.'),
  userAgent: text('With what it was begun.'),
  expireAt: dateTime('When it ends unless it is used, or with its key.'),
  isCurrent: flag('Whether this request came with it.'),
})

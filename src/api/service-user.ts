import { userName, userRoles } from '../domain/service/user.ts'
import { closed, dateTime, oneOf, optional, Type, text, uuid } from './schema.ts'

const role = (more: string) =>
  oneOf(
    userRoles,
    `readOnly: queries. readWrite: also writes and changes of tables, unless the service itself is read-only. ${more}`,
  )

export const ServiceUserCreateBody = closed({
  name: Type.String({
    minLength: userName.min,
    maxLength: userName.max,
    pattern: userName.pattern,
    description:
      'What to log in with. Letters, digits, `_`, `.` and `-`; begins with a letter or `_`. `default`, and what begins with `granary`, is reserved.',
  }),
  role: optional(role('Default readWrite.')),
  passwordHash: optional(
    Type.String({
      pattern: '^[A-Za-z0-9+/]{43}=$',
      description: 'Base64 of the SHA-256 of a password of your own. Absent: one is made and answered once.',
    }),
  ),
})

export const ServiceUserPatchBody = closed({ role: optional(role('Absent: it stays.')) })

export const ServiceUser = closed({
  id: uuid('The user, as paths name it. It is not what one logs in with.'),
  serviceId: uuid('The service whose endpoint it is for.'),
  name: text('What to log in with.'),
  role: oneOf(userRoles, 'What it may do there.'),
  createdAt: dateTime('When it was created.'),
  updatedAt: dateTime('When its role or password last changed.'),
})

export const ServiceUserWithPassword = closed({
  user: ServiceUser,
  password: text('Shown once: only its hash is kept. Empty when a hash was sent.'),
})

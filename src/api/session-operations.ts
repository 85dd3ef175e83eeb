import type { OperationDetails } from './operation.ts'
import { inOrganization, organizationId, paging } from './parameters.ts'
import { closed, list, uuid } from './schema.ts'
import { Identity, Session, SignInBody } from './session.ts'

export const sessionOperations = {
  'session.create': {
    summary: 'Sign in',
    description:
      'Takes a key or a dashboard token and begins a session, for browsers. The cookie `granary_session` (HttpOnly, SameSite=Strict) of the answer is its only secret. The session may do what the key may do, and ends with it, after 30 days without use, or when it is deleted.',
    permission: 'organization:view',
    credential: 'body',
    params: closed({}),
    body: SignInBody,
    result: Identity,
    errors: [],
  },
  'session.get': {
    summary: 'Who am I, and what may I do',
    description: 'Takes a session, a key, or a dashboard token as bearer.',
    permission: 'organization:view',
    credential: 'any',
    params: closed({}),
    result: Identity,
    errors: [],
  },
  'session.delete': {
    summary: 'Sign out',
    description: 'Ends the session that the request came with, and clears its cookie.',
    permission: 'organization:view',
    credential: 'any',
    params: closed({}),
    result: closed({}),
    errors: [],
  },
  'sessions.list': {
    summary: 'List sessions',
    permission: 'keys:view',
    params: inOrganization,
    query: paging,
    result: list(Session, 'Oldest first.'),
    errors: [],
  },
  'sessions.delete': {
    summary: 'End a session',
    description: 'Its next request is refused: at once, and on other control planes within a second.',
    permission: 'keys:manage',
    params: closed({ organizationId, sessionId: uuid('The session.') }),
    result: Session,
    errors: [],
  },
} as const satisfies Record<string, OperationDetails>

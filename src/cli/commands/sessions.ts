import type { GroupDefinition } from '../command.ts'
import { commandOf } from '../operation-command.ts'
import { identityBlock, sessionsTable } from '../show/session.ts'

const list = commandOf('sessions.list', {
  summary: 'List who is signed in from a browser, oldest first',
  examples: ['granary sessions list'],
  show: sessionsTable,
})

const remove = commandOf('sessions.delete', {
  summary: 'End a session',
  details: 'The browser that has it must sign in again. To lock a key out, disable or delete the key.',
  examples: ['granary sessions delete d2c1b0a9-8f7e-4d6c-8b5a-4f3e2d1c0b9a --yes'],
  question: ({ session }) => `End session ${session}? Its browser must sign in again.`,
  show: (_, { id, keyName }) => `session ${id} of key ${keyName} has ended`,
})

export const sessions: GroupDefinition = {
  name: 'sessions',
  summary: 'People who are signed in',
  commands: [list, remove],
}

export const whoami = commandOf('session.get', {
  name: 'whoami',
  summary: 'Show the key that is used and what it may do',
  examples: ['granary whoami'],
  show: identityBlock,
})

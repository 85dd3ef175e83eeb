import { Option } from 'commander'
import type { GroupDefinition } from '../command.ts'
import { readText } from '../input.ts'
import { serviceId } from '../operands.ts'
import { commandOf } from '../operation-command.ts'
import { fileOption } from '../options.ts'
import type { Session } from '../session.ts'
import { namedQueriesTable, namedQueryBlock } from '../show/named-query.ts'
import { deletedLine } from '../show/state.ts'

interface Flags {
  name: string
  service?: string
  file: string
}

const options = [
  new Option('--name <name>', 'what it is called').makeOptionMandatory(),
  fileOption('the statement').makeOptionMandatory(),
  new Option('--service <service>', 'id or name of the service that it is meant for'),
]

async function bodyOf({ name, service, file }: Flags, session: Session) {
  const text = await readText(session.io, file)
  return { name, text, ...(service === undefined ? {} : { serviceId: await serviceId(session, service) }) }
}

const list = commandOf('queries.list', {
  summary: 'List named queries by name',
  examples: ['granary queries list'],
  show: namedQueriesTable,
})

const create = commandOf('queries.create', {
  summary: 'Keep a query under a name',
  options,
  examples: ['granary queries create --name "orders of today" --file orders.sql --service analytics'],
  body: bodyOf,
  show: namedQueryBlock,
})

const get = commandOf('queries.get', {
  summary: 'Show a named query',
  examples: [
    'granary queries get "orders of today"',
    'granary queries get "orders of today" --json | jq -r .text | granary query analytics',
  ],
  show: namedQueryBlock,
})

const replace = commandOf('queries.replace', {
  summary: 'Replace a named query as a whole',
  options,
  examples: ['granary queries replace "orders of today" --name orders --file orders.sql'],
  body: bodyOf,
  show: namedQueryBlock,
})

const remove = commandOf('queries.delete', {
  summary: 'Delete a named query',
  examples: ['granary queries delete "orders of today"', 'granary queries delete orders --yes'],
  question: ({ query }) => `Delete the named query ${query}?`,
  show: (_, query) => deletedLine('query', query),
})

export const namedQueries: GroupDefinition = {
  name: 'queries',
  summary: 'Statements that the organization keeps under a name',
  commands: [list, create, get, replace, remove],
}

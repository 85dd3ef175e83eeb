import { Option } from 'commander'
import { type SourceKind, sourceKinds } from '../../domain/source/types.ts'
import type { GroupDefinition } from '../command.ts'
import { requireBody } from '../input.ts'
import { serviceId } from '../operands.ts'
import { commandOf } from '../operation-command.ts'
import { defined, fileOption } from '../options.ts'
import { proposalsTable, sourceBlock, sourcesTable } from '../show/source.ts'

const serviceOption = new Option('--service <service>', 'id or name of the service')

const list = commandOf('sources.list', {
  summary: 'List sources by name',
  examples: ['granary sources list'],
  show: sourcesTable,
})

interface CreateFlags {
  name: string
  service: string
  database?: string
  table: string
  kind?: SourceKind
  default?: boolean
}

const create = commandOf('sources.create', {
  summary: 'Create a source from a table',
  details: 'Its columns are read from the table. An idle service wakes.',
  options: [
    new Option('--name <name>', 'how series name it').makeOptionMandatory(),
    new Option('--service <service>', 'id or name of the service').makeOptionMandatory(),
    new Option('--database <database>', 'default: default'),
    new Option('--table <table>', 'the table').makeOptionMandatory(),
    new Option('--kind <kind>', 'what lies there; default: events').choices(sourceKinds),
    new Option('--default', 'make it the default of its kind'),
    new Option('--no-default', 'do not, even if it is the first'),
  ],
  examples: ['granary sources create --name "shop logs" --service analytics --database shop --table logs'],
  async body({ name, service, database, table, kind, default: isDefault }: CreateFlags, session) {
    const more = defined({ database, kind, isDefault })
    return { name, serviceId: await serviceId(session, service), table, ...more }
  },
  show: sourceBlock,
})

const proposals = commandOf('sources.proposals', {
  summary: 'Show tables that could become sources',
  details:
    'Every table with a time column that no source covers. Without --service, of all services that run.',
  options: [serviceOption],
  examples: ['granary sources proposals', 'granary sources proposals --service <id> --json'],
  query: ({ service }: { service?: string }) => (service === undefined ? {} : { serviceId: service }),
  show: proposalsTable,
})

const get = commandOf('sources.get', {
  summary: 'Show a source',
  examples: ['granary sources get "shop logs"'],
  show: sourceBlock,
})

const replace = commandOf('sources.replace', {
  summary: 'Replace a source as a whole',
  details:
    'What "sources get --json" prints can be sent back. What is left out is read from the table again.',
  options: [fileOption('the whole source, in JSON')],
  examples: ['granary sources replace "shop logs" --file logs.json'],
  body: requireBody<'sources.replace'>,
  show: sourceBlock,
})

const remove = commandOf('sources.delete', {
  summary: 'Delete a source; its table stays',
  examples: ['granary sources delete "shop logs"'],
  question: ({ source }) => `Delete source ${source}?`,
  show: (_form, _result, { operands }) => `source ${operands['source']} is deleted`,
})

export const sources: GroupDefinition = {
  name: 'sources',
  summary: 'Tables that dashboards read',
  commands: [list, create, proposals, get, replace, remove],
}

import { Option } from 'commander'
import { type ExportFormat, exportFormats } from '../../domain/service/statement.ts'
import type { CommandDefinition, GroupDefinition } from '../command.ts'
import { usageError } from '../failure.ts'
import { type CreateFlags, createBody, createOptions, createService } from '../new-service.ts'
import { type Operands, operandsOf, paramsOf } from '../operands.ts'
import { commandOf } from '../operation-command.ts'
import {
  defined,
  durableInsertsOptions,
  historyQuery,
  importantOption,
  metricsQuery,
  numberOption,
  parseIps,
  parseTags,
  rangeOption,
  repeatedOption,
  type ScalingFlags,
  scalingBody,
  scalingOptions,
  someChange,
  timeoutOption,
  type WaitOptions,
  waitOption,
} from '../options.ts'
import { newPasswordBody, newPasswordText, passwordOptions } from '../password.ts'
import { serviceHistoryTable } from '../show/history.ts'
import { resourcesTable } from '../show/resources.ts'
import { serviceBlock, serviceLine, servicesTable } from '../show/service.ts'
import { watchService } from '../wait.ts'
import { serviceUsers } from './service-users.ts'

const list = commandOf('services.list', {
  summary: 'List services, oldest first',
  examples: ['granary services list', "granary services list --json | jq -r '.[].name'"],
  show: servicesTable,
})

const create: CommandDefinition = {
  name: 'create',
  summary: 'Create a service',
  details:
    'The password is shown once: only its hash is kept. A lost one is replaced with "services password".',
  options: [...createOptions, waitOption, timeoutOption],
  examples: [
    'granary services create --name analytics --wait',
    'granary services create --name big --min-memory 16 --max-memory 64 --replicas 3 --no-idle',
    'granary services create --name reports --warehouse <id> --read-only --replicas 1 --ip 10.0.0.0/8=office',
  ],
  run: (session, _: object, flags: CreateFlags & WaitOptions) =>
    createService(session, createBody(flags), flags),
}

const get = commandOf('services.get', {
  summary: 'Show a service',
  examples: ['granary services get analytics', 'granary services get analytics --json | jq .state'],
  show: serviceBlock,
})

interface UpdateFlags {
  name?: string
  ip?: string[]
  addIp?: string[]
  removeIp?: string[]
  tag?: string[]
  clearTags?: true
  durableInserts?: boolean
}

const update = commandOf('services.update', {
  summary: 'Change name, access list, tags or durability of a service',
  options: [
    new Option('--name <name>', 'its new name'),
    repeatedOption('--ip <source[=description]>', 'replaces the whole access list'),
    repeatedOption('--add-ip <source[=description]>', 'add to the access list'),
    repeatedOption('--remove-ip <source>', 'take from the access list'),
    repeatedOption('--tag <key=value>', 'replaces all labels'),
    ...durableInsertsOptions,
    new Option('--clear-tags', 'remove all labels').conflicts('tag'),
  ],
  examples: [
    'granary services update analytics --name reporting',
    'granary services update analytics --add-ip 10.1.2.3=build --remove-ip 0.0.0.0/0',
  ],
  body: (flags: UpdateFlags) =>
    defined({
      name: flags.name,
      ipAccessList: accessList(flags),
      durableInserts: flags.durableInserts,
      tags: flags.clearTags ? [] : parseTags(flags.tag),
    }),
  show: serviceBlock,
})

function accessList({ ip, addIp, removeIp }: UpdateFlags) {
  if (!addIp && !removeIp) return parseIps(ip)
  if (ip) throw usageError('--ip replaces the whole list: it cannot be combined with --add-ip or --remove-ip')
  return defined({ add: parseIps(addIp), remove: parseIps(removeIp) })
}

interface ScaleFlags extends ScalingFlags {
  minTotalMemory?: number
  maxTotalMemory?: number
}

const scale: CommandDefinition = {
  name: 'scale',
  summary: 'Change memory, replicas and idling of a service',
  details: 'What is not given keeps its value.',
  operands: operandsOf('services.updateReplicaScaling'),
  options: [
    ...scalingOptions,
    numberOption('--min-total-memory <gb>', 'deprecated: three times the bound per replica'),
    numberOption('--max-total-memory <gb>', 'deprecated: three times the bound per replica'),
  ],
  examples: [
    'granary services scale analytics --min-memory 16 --max-memory 64',
    'granary services scale analytics --replicas 3 --idle --idle-timeout 30',
  ],
  async run(session, operands: Operands, flags: ScaleFlags) {
    const { client, output, signal } = session
    const { minTotalMemory: minTotalMemoryGb, maxTotalMemory: maxTotalMemoryGb } = flags
    const totals = defined({ minTotalMemoryGb, maxTotalMemoryGb })
    const isTotal = Object.keys(totals).length > 0
    if (isTotal && (flags.minMemory !== undefined || flags.maxMemory !== undefined))
      throw usageError('give the memory per replica or in total, not both')
    // Memory per replica and totals are two operations; the one for totals has no fields per replica.
    const { minReplicaMemoryGb: _min, maxReplicaMemoryGb: _max, ...horizontal } = scalingBody(flags)
    const body = isTotal ? { ...horizontal, ...totals } : someChange(scalingBody(flags))
    const params = await paramsOf(session, 'services.updateReplicaScaling', operands)
    const id = isTotal ? 'services.updateScaling' : 'services.updateReplicaScaling'
    const changed = await client.call(id, { params, body, signal })
    output.result(changed, (form) => serviceBlock(form, changed))
  },
}

const start = commandOf('services.updateState', {
  name: 'start',
  summary: 'Start a service',
  details: 'A service that runs already, or is idle, stays as it is.',
  examples: ['granary services start analytics', 'granary services start analytics --wait --timeout 2m'],
  body: () => ({ command: 'start' as const }),
  watch: (session, service, timeoutMs) => watchService(session, service, 'running', timeoutMs),
  show: (_, service) => serviceLine(service),
})

const stop = commandOf('services.updateState', {
  name: 'stop',
  summary: 'Stop a service',
  details: 'Its data stays; a stopped service is not woken by queries.',
  examples: ['granary services stop analytics', 'granary services stop analytics --wait --timeout 2m'],
  body: () => ({ command: 'stop' as const }),
  watch: (session, service, timeoutMs) => watchService(session, service, 'stopped', timeoutMs),
  show: (_, service) => serviceLine(service),
})

const remove = commandOf('services.delete', {
  summary: 'Delete a service',
  details: 'Only a stopped or failed one, and the primary of a warehouse only as its last.',
  examples: [
    'granary services stop analytics --wait && granary services delete analytics',
    'granary services delete analytics --yes --wait',
  ],
  question: ({ service }) => `Delete service ${service} and what only it holds?`,
  watch: (session, service, timeoutMs) => watchService(session, service, 'gone', timeoutMs),
  show: (_, service, { isGone }) =>
    isGone ? `service ${service.name} (${service.id}) is gone` : serviceLine(service),
})

const password = commandOf('services.resetPassword', {
  name: 'password',
  summary: 'Give a service a new password',
  details:
    'Makes one and shows it once, or takes one of your own; of that, only the hash leaves this machine.',
  options: passwordOptions,
  examples: [
    'granary services password analytics',
    'pass show analytics | granary services password analytics --stdin',
  ],
  body: newPasswordBody,
  show: (form, result, { operands }) => newPasswordText(form, result, `service ${operands['service']}`),
})

interface ExportFlags {
  format: ExportFormat
  database?: string
}

const exportCommand = commandOf('services.export', {
  summary: 'Write the whole result of a statement as a file',
  details: 'On standard output, as it is made.',
  moreOperands: [['<sql>', 'the statement']],
  options: [
    new Option('--format <format>', 'of the file').choices(exportFormats).default('CSVWithNames'),
    new Option('--database <name>', 'the current database; default: default'),
  ],
  examples: ["granary services export analytics 'SELECT * FROM events' --format Parquet > events.parquet"],
  body: ({ format, database }: ExportFlags, _session, { sql: query = '' }) => ({
    ...{ query, format, ...defined({ database }) },
  }),
  show: (_, text) => text,
})

const cancelQuery = commandOf('services.cancelQuery', {
  name: 'cancel-query',
  summary: 'Cancel a query that runs on a service',
  examples: ['granary services cancel-query analytics 8c6f0d0e-2f1a-4b3c-9d4e-6f7a8b9c0d1e'],
  show: (_, { queryId }) => `query ${queryId} is cancelled`,
})

const cancelRestore = commandOf('services.cancelRestore', {
  name: 'cancel-restore',
  summary: 'Cancel the restore of a service, which ends it',
  details: 'Only while it still waits for the data of its backup. The backup stays.',
  examples: ['granary services cancel-restore analytics-restored --wait'],
  question: ({ service }) => `Cancel the restore of ${service}? The service ends.`,
  watch: (session, service, timeoutMs) => watchService(session, service, 'gone', timeoutMs),
  show: (_, service, { isGone }) =>
    isGone ? `service ${service.name} (${service.id}) is gone` : serviceLine(service),
})

const topPauseMs = 2_000

const top: CommandDefinition = {
  name: 'top',
  summary: 'What the replicas of a service use',
  details: 'Looking wakes nothing and keeps nothing awake. With --json and --watch, one object a line.',
  operands: operandsOf('services.get'),
  options: [new Option('--watch', 'look again every two seconds, until interrupted')],
  examples: ['granary services top analytics', 'granary services top analytics --watch'],
  async run(session, operands: Operands, { watch }: { watch?: true }) {
    const { client, output, signal, io } = session
    const params = await paramsOf(session, 'services.get', operands)
    do {
      const found = await client.call('services.get', { params, signal })
      output.result(found.resources, (form) => resourcesTable(form, found))
      if (watch) await io.clock.sleep(topPauseMs, signal)
    } while (watch && !signal.aborted)
  },
}

const history = commandOf('services.history', {
  summary: 'What a service used, over time',
  options: [rangeOption],
  examples: ['granary services history analytics', 'granary services history analytics --range 1h'],
  query: historyQuery,
  show: serviceHistoryTable,
})

const metrics = commandOf('services.metrics', {
  summary: 'Metrics of a service, in the Prometheus text format',
  details: 'With --json the text is one JSON string.',
  options: [importantOption],
  examples: ['granary services metrics analytics', 'granary services metrics analytics --important'],
  query: metricsQuery,
  show: (_, text) => text,
})

export const services: GroupDefinition = {
  name: 'services',
  summary: 'Warehouse services',
  commands: [
    ...[list, create, get, update, scale, start, stop, remove, password, serviceUsers],
    ...[cancelRestore, exportCommand, cancelQuery, top, history, metrics],
  ],
}

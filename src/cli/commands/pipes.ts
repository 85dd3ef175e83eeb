import { Option } from 'commander'
import type { BodyOf } from '../../api/operations.ts'
import type { GroupDefinition } from '../command.ts'
import { usageError } from '../failure.ts'
import { readJsonObject, requireBody } from '../input.ts'
import { commandOf } from '../operation-command.ts'
import { defined, fileOption, historyQuery, numberOption, rangeOption, someChange } from '../options.ts'
import { pipeHistoryTable } from '../show/history.ts'
import { pipeBlock, pipeLine, pipesTable, schemaTables } from '../show/pipe.ts'
import { lanesTable, reasonsTable, rejectedTable } from '../show/pipe-records.ts'
import { deletedLine } from '../show/state.ts'
import { watchPipe } from '../wait-pipe.ts'
import { pipeSettings } from './pipe-settings.ts'
import { pipeWatch } from './pipe-watch.ts'

const list = commandOf('pipes.list', {
  summary: 'List the pipes of a service, oldest first',
  examples: ['granary pipes list analytics'],
  show: pipesTable,
})

const create = commandOf('pipes.create', {
  summary: 'Create a pipe from its description in JSON',
  details:
    'The description has name, source, destination, fieldMappings, scaling and settings, as the API takes it.',
  options: [fileOption('the description of the pipe')],
  examples: [
    'granary pipes create analytics --file clicks.json',
    'envsubst < clicks.json | granary pipes create analytics --file -',
  ],
  body: requireBody<'pipes.create'>,
  watch: (session, pipe, timeoutMs) => watchPipe(session, pipe, 'running', timeoutMs),
  show: pipeBlock,
})

const discover = commandOf('pipes.discoverSchema', {
  name: 'discover',
  summary: 'Show the fields of a source',
  details:
    'Reads some records; nothing is stored. The description needs only its source; with columns of the destination and fieldMappings the rows are shown that the records become, and those that would be rejected.',
  options: [fileOption('the description of the pipe, or its source alone')],
  examples: ['granary pipes discover analytics --file clicks.json'],
  async body(flags: { file?: string }, context) {
    const { source, destination, fieldMappings } = await requireBody<'pipes.create'>(flags, context)
    // Whoever has no columns yet asks for the fields to find them.
    const isWhole = destination?.columns?.length && fieldMappings?.length
    return isWhole ? { source, destination, fieldMappings } : { source }
  },
  show: schemaTables,
})

const get = commandOf('pipes.get', {
  summary: 'Show a pipe',
  examples: ['granary pipes get analytics clicks', 'granary pipes get analytics clicks --json | jq .state'],
  show: pipeBlock,
})

const update = commandOf('pipes.update', {
  summary: 'Change a pipe',
  details: 'What the change does not mention keeps its value, credentials too.',
  options: [fileOption('the change, in JSON'), new Option('--name <name>', 'its new name')],
  examples: [
    'granary pipes update analytics clicks --name clicks-eu',
    'granary pipes update analytics clicks --file change.json',
  ],
  async body({ file, name }: { file?: string; name?: string }, { io }) {
    if (file === undefined && name === undefined) throw usageError('say what to change: --file or --name')
    const change = file === undefined ? {} : await readJsonObject(io, file)
    return { ...change, ...defined({ name }) } as BodyOf<'pipes.update'>
  },
  show: pipeBlock,
})

const start = commandOf('pipes.updateState', {
  name: 'start',
  summary: 'Start a pipe',
  details: 'A pipe that runs already stays as it is; a failed one tries again.',
  examples: ['granary pipes start analytics clicks', 'granary pipes start analytics clicks --wait'],
  body: () => ({ command: 'start' as const }),
  watch: (session, pipe, timeoutMs) => watchPipe(session, pipe, 'running', timeoutMs),
  show: (_, pipe) => pipeLine(pipe),
})

const stop = commandOf('pipes.updateState', {
  name: 'stop',
  summary: 'Stop a pipe',
  details: 'It keeps its place and goes on from there when it is started.',
  examples: ['granary pipes stop analytics clicks'],
  body: () => ({ command: 'stop' as const }),
  watch: (session, pipe, timeoutMs) => watchPipe(session, pipe, 'stopped', timeoutMs),
  show: (_, pipe) => pipeLine(pipe),
})

const resync = commandOf('pipes.updateState', {
  name: 'resync',
  summary: 'Load the tables of a Postgres pipe anew',
  details: 'The tables are filled beside the old ones and then swapped. Other kinds refuse it.',
  examples: ['granary pipes resync analytics clicks'],
  body: () => ({ command: 'resync' as const }),
  watch: (session, pipe, timeoutMs) => watchPipe(session, pipe, 'running', timeoutMs),
  show: (_, pipe) => pipeLine(pipe),
})

interface ScaleFlags {
  replicas?: number
  cpu?: number
  memory?: number
  concurrency?: number
}

const scale = commandOf('pipes.updateScaling', {
  name: 'scale',
  summary: 'Change the workers of a pipe',
  details: 'What is not given keeps its value.',
  options: [
    numberOption('--replicas <n>', 'number of workers'),
    numberOption('--cpu <millicores>', 'thousandths of a core per worker'),
    numberOption('--memory <gb>', 'memory per worker, fractions allowed'),
    numberOption('--concurrency <n>', 'deprecated: use the setting object_storage_concurrency'),
  ],
  examples: ['granary pipes scale analytics clicks --replicas 2 --cpu 500 --memory 2'],
  body: ({ replicas, cpu: replicaCpuMillicores, memory: replicaMemoryGb, concurrency }: ScaleFlags) =>
    someChange(defined({ replicas, replicaCpuMillicores, replicaMemoryGb, concurrency })),
  show: pipeBlock,
})

const remove = commandOf('pipes.delete', {
  summary: 'Delete a pipe',
  details: 'Its destination table stays.',
  examples: ['granary pipes delete analytics clicks', 'granary pipes delete analytics clicks --yes'],
  question: ({ pipe }) => `Delete pipe ${pipe}? Its table stays.`,
  show: (_, pipe) => deletedLine('pipe', pipe),
})

const history = commandOf('pipes.history', {
  summary: 'What a pipe did, over time',
  options: [rangeOption],
  examples: ['granary pipes history analytics clicks', 'granary pipes history analytics clicks --range 1h'],
  query: historyQuery,
  show: pipeHistoryTable,
})

const lanes = commandOf('pipes.lanes', {
  summary: 'How far each part of the source was read',
  examples: ['granary pipes lanes analytics clicks'],
  show: lanesTable,
})

const rejected = commandOf('pipes.rejectedRecords', {
  name: 'rejected',
  summary: 'Records that could not be put into the table, newest first',
  details: 'They are kept for seven days. With --json the records are whole, up to 64 KiB each.',
  examples: [
    'granary pipes rejected analytics clicks --limit 20',
    'granary pipes rejected analytics clicks --json | jq -r .[0].raw',
  ],
  show: rejectedTable,
})

const reasons = commandOf('pipes.rejectedReasons', {
  name: 'reasons',
  summary: 'Why records were rejected, most frequent reason first',
  examples: ['granary pipes reasons analytics clicks'],
  show: reasonsTable,
})

export const pipes: GroupDefinition = {
  name: 'pipes',
  summary: 'Pipes that bring data into a service',
  commands: [
    ...[list, create, discover, get, update, start, stop, resync, scale, pipeWatch, history, lanes],
    ...[rejected, reasons, pipeSettings, remove],
  ],
}

import type { OperationDetails } from './operation.ts'
import { onService, organizationId, paging, serviceId } from './parameters.ts'
import {
  Pipe,
  PipeCreateBody,
  PipePatchBody,
  PipeScalingBody,
  PipeSchema,
  PipeSchemaDiscoveryBody,
  PipeSettings,
  PipeSettingsBody,
  PipeStateBody,
} from './pipe.ts'
import { PipeLane, RejectedReason, RejectedRecord } from './pipe-records.ts'
import { closed, list, uuid } from './schema.ts'

const onPipe = closed({ organizationId, serviceId, pipeId: uuid('The pipe.') })

export const pipeOperations = {
  'pipes.list': {
    summary: 'List pipes',
    permission: 'pipes:view',
    params: onService,
    query: paging,
    result: list(Pipe, 'Oldest first.'),
    errors: [],
  },
  'pipes.create': {
    summary: 'Create a pipe',
    description:
      'Credentials go in and never come out. An idle service is woken; a stopped one answers 424. Before anything is stored, the source is connected to and the table looked at; validateSamples also reads records. What is wrong is a 400.',
    permission: 'pipes:manage',
    params: onService,
    body: PipeCreateBody,
    independent: ['source', 'scaling', 'settings'],
    result: Pipe,
    errors: ['FAILED_DEPENDENCY'],
  },
  'pipes.discoverSchema': {
    summary: 'Discover the fields of a source',
    description:
      'Connects to the source, reads some records, and answers their fields with the types that columns for them would have. With a destination and fieldMappings it also answers the rows that the records become, and why a record is rejected. Stores nothing.',
    permission: 'pipes:manage',
    params: onService,
    body: PipeSchemaDiscoveryBody,
    result: PipeSchema,
    errors: ['FAILED_DEPENDENCY'],
  },
  'pipes.get': {
    summary: 'Get a pipe',
    permission: 'pipes:view',
    params: onPipe,
    result: Pipe,
    errors: [],
  },
  'pipes.update': {
    summary: 'Change a pipe',
    description:
      'Absent fields keep their value, absent credentials too. A changed source or credential is checked as at creation.',
    permission: 'pipes:manage',
    params: onPipe,
    body: PipePatchBody,
    independent: ['source', 'scaling', 'settings'],
    result: Pipe,
    errors: ['CONFLICT', 'FAILED_DEPENDENCY'],
  },
  'pipes.delete': {
    summary: 'Delete a pipe',
    description: 'Its destination table stays.',
    permission: 'pipes:manage',
    params: onPipe,
    result: Pipe,
    errors: [],
  },
  'pipes.updateState': {
    summary: 'Start, stop or resync a pipe',
    description:
      'Start and stop are idempotent. Resync loads the tables of a Postgres pipe anew; other kinds refuse it.',
    permission: 'pipes:manage',
    params: onPipe,
    body: PipeStateBody,
    result: Pipe,
    errors: ['CONFLICT', 'FAILED_DEPENDENCY'],
  },
  'pipes.updateScaling': {
    summary: 'Change the scaling of a pipe',
    permission: 'pipes:manage',
    params: onPipe,
    body: PipeScalingBody,
    result: Pipe,
    errors: ['CONFLICT'],
  },
  'pipes.lanes': {
    summary: 'List the lanes of a pipe',
    description: 'The parts of its source that are read one beside the other. Reading it wakes nothing.',
    permission: 'pipes:view',
    params: onPipe,
    query: paging,
    result: list(PipeLane, 'By name.'),
    errors: [],
  },
  'pipes.rejectedRecords': {
    summary: 'List records that a pipe rejected',
    description:
      'From the errors table of the pipe, which keeps them for seven days. An idle service is woken; a stopped one answers 424. Without a limit, the newest hundred. Pipes from Postgres have none.',
    permission: 'pipes:view',
    params: onPipe,
    query: paging,
    result: list(RejectedRecord, 'Newest first.'),
    errors: ['FAILED_DEPENDENCY'],
  },
  'pipes.rejectedReasons': {
    summary: 'Count rejected records by reason',
    description: 'Over the errors table, as for the records themselves; the hundred most frequent reasons.',
    permission: 'pipes:view',
    params: onPipe,
    result: list(RejectedReason, 'Most frequent first.'),
    errors: ['FAILED_DEPENDENCY'],
  },
  'pipes.getSettings': {
    summary: 'Get the settings of a pipe',
    permission: 'pipes:view',
    params: onPipe,
    result: PipeSettings,
    errors: [],
  },
  'pipes.updateSettings': {
    summary: 'Change the settings of a pipe',
    description: 'Absent settings keep their value; null sets the default.',
    permission: 'pipes:manage',
    params: onPipe,
    body: PipeSettingsBody,
    result: PipeSettings,
    errors: ['CONFLICT'],
  },
} as const satisfies Record<string, OperationDetails>

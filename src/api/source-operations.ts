import type { OperationDetails } from './operation.ts'
import { closed, list, optional, Type, uuid } from './schema.ts'
import { Source, SourceBody, SourceReplaceBody } from './source.ts'

const onSource = closed({
  sourceId: Type.String({ pattern: '^[0-9a-f]{24}$', description: 'The source: 24 hex digits.' }),
})

/** Sources: where events and metrics lie. */
export const sourceOperations = {
  'sources.list': {
    summary: 'List sources',
    permission: 'dashboards:view',
    params: closed({}),
    result: list(Source, 'By name.'),
    errors: [],
  },
  'sources.create': {
    summary: 'Create a source',
    description: 'The table is looked up in the service, which wakes if it is idle.',
    permission: 'dashboards:manage',
    params: closed({}),
    body: SourceBody,
    result: Source,
    errors: ['FAILED_DEPENDENCY'],
  },
  'sources.proposals': {
    summary: 'Propose sources',
    description: 'A body for a creation for every table with a time column that no source covers.',
    permission: 'dashboards:view',
    params: closed({}),
    query: closed({
      serviceId: optional(uuid('The service, which wakes if it is idle. Absent = all services that run.')),
    }),
    result: list(SourceBody, 'By service, database and table.'),
    errors: ['FAILED_DEPENDENCY'],
  },
  'sources.get': {
    summary: 'Get a source',
    permission: 'dashboards:view',
    params: onSource,
    result: Source,
    errors: [],
  },
  'sources.replace': {
    summary: 'Replace a source',
    description: 'What GET answers can be sent back unchanged. What is absent is read from the table again.',
    permission: 'dashboards:manage',
    params: onSource,
    body: SourceReplaceBody,
    result: Source,
    errors: ['FAILED_DEPENDENCY'],
  },
  'sources.delete': {
    summary: 'Delete a source',
    description: 'Nothing of the table is deleted. If it was the default of its kind, no source is then.',
    permission: 'dashboards:manage',
    params: onSource,
    result: closed({}),
    errors: [],
  },
} as const satisfies Record<string, OperationDetails>

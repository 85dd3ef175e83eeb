import type { OperationId } from '../operations.ts'
import type { SecurityScheme } from './types.ts'

export type Noun = OperationId extends infer Id ? (Id extends `${infer N}.${string}` ? N : never) : never

/** The groups in which operations are shown, by the first part of their ids. */
export const nouns: Record<Noun, { name: string; description: string }> = {
  organizations: {
    name: 'Organizations',
    description: 'Who owns services, keys and dashboards. Its tier decides what its services may be.',
  },
  quotas: { name: 'Quotas', description: 'What an organization may have at most, and has.' },
  activities: { name: 'Activities', description: 'The audit trail: who changed what, when and from where.' },
  demo: {
    name: 'Demo',
    description: 'A shop that does not exist, with everything a warehouse has, to look around in.',
  },
  keys: {
    name: 'Keys',
    description: 'Credentials of both APIs: what they may do, from where, and until when.',
  },
  session: {
    name: 'Session',
    description: 'Signing in from a browser: a cookie in place of the key, and who one is.',
  },
  sessions: { name: 'Sessions', description: 'Who is signed in, with which key, and from where.' },
  queries: {
    name: 'Named queries',
    description: 'Statements that an organization keeps, for everybody who sees its services.',
  },
  services: {
    name: 'Services',
    description:
      'Warehouses that run: they start, stop, scale with their load, and go to sleep when nobody uses them.',
  },
  serviceUsers: {
    name: 'Service users',
    description:
      'Who may log in at the endpoint of a service, beside its built-in user `default`: with a password each, to read or to write.',
  },
  pipes: {
    name: 'Pipes',
    description:
      'Ingestion into a service from Kafka, object storage, Kinesis or Postgres, each record exactly once.',
  },
  backups: {
    name: 'Backups',
    description:
      'Copies of the data of a service, read back once they are made. A new service can begin with one.',
  },
  backupConfiguration: {
    name: 'Backup configuration',
    description: 'How often a service is backed up, and how long backups are kept.',
  },
  backupBucket: {
    name: 'Backup bucket',
    description: 'A bucket of your own that the backups of a service go to, instead of the server’s folder.',
  },
  dashboards: {
    name: 'Dashboards',
    description: 'Tiles on a grid of 24 columns, each with one or more series of data.',
  },
  charts: {
    name: 'Charts',
    description: 'Questions about the data behind dashboards: series that are stored nowhere, and filters.',
  },
  alerts: {
    name: 'Alerts',
    description:
      'Watches over the numbers of tiles. A webhook, signed after Standard Webhooks, tells when one begins and when it ends.',
  },
  sources: {
    name: 'Sources',
    description: 'Where events and metrics lie, and how to read them: the tables behind the series of tiles.',
  },
}

export const apiTexts = {
  management: {
    title: 'Granary Management API',
    summary: 'Services, pipes, backups and keys of an organization.',
    description:
      'Every answer is an envelope of `status`, `requestId` and `result`. A body is JSON in UTF-8; a field that the interface does not know is refused, never dropped.',
    scheme: 'basic',
  },
  dashboards: {
    title: 'Granary Dashboard API',
    summary: 'Dashboards made of tiles, and the sources of their data.',
    description:
      'Every answer is an envelope with the field `data`. A body is JSON in UTF-8; a field that the interface does not know is refused, never dropped.',
    scheme: 'bearer',
  },
} as const

/** The ways to say who one is. */
export const securitySchemes = {
  basic: {
    ...{ type: 'http', scheme: 'basic' },
    description: 'The id of a key as user name, its secret as password.',
  },
  bearer: { type: 'http', scheme: 'bearer', description: 'The token of a key of kind `dashboard`.' },
  session: {
    ...{ type: 'apiKey', in: 'cookie', name: 'granary_session' },
    description:
      'The cookie of a session, as `POST /v1/session` sets it, for browsers. Requests with it must come from a page of this server: `Sec-Fetch-Site: same-origin`, or an equal `Origin`. `Authorization` wins where both are sent.',
  },
} as const satisfies Record<string, SecurityScheme>

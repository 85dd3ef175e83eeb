import type { ResultOf } from '../../../src/api/operations.ts'
import type { Route } from '../../../src/api/routes.ts'

/** Operations of the contract that the server's table does not have yet; each line goes when its operation comes. */
const org = '/v1/organizations/{organizationId}'
const svc = `${org}/services/{serviceId}`
const pipe = `${svc}/pipes/{pipeId}`

export const pendingRoutes = {
  'services.history': { method: 'GET', path: `${svc}/history` },
  'pipes.history': { method: 'GET', path: `${pipe}/history` },
  'organizations.history': { method: 'GET', path: `${org}/history` },
  'organizations.pipes': { method: 'GET', path: `${org}/pipes` },
  'organizations.backups': { method: 'GET', path: `${org}/backups` },
  'demo.get': { method: 'GET', path: `${org}/demo` },
  'demo.start': { method: 'POST', path: `${org}/demo` },
  'demo.remove': { method: 'DELETE', path: `${org}/demo` },
} as const satisfies Record<string, Route>

export type PendingId = keyof typeof pendingRoutes

export interface PendingResults {
  'services.history': ServiceHistory
  'pipes.history': PipeHistory
  'organizations.history': OrganizationHistory
  'organizations.pipes': OrganizationPipe[]
  'organizations.backups': OrganizationBackup[]
  'demo.get': Demo
  'demo.start': Demo
  'demo.remove': Demo
}

interface History {
  from: string
  to: string
  stepSeconds: number
  times: string[]
}

type Values = (number | null)[]

export interface ServiceHistory extends History {
  replicas: { name: string; memoryBytes: Values }[]
  memoryLimitBytes: Values
  asleep: { from: string; to: string }[]
  changes: { at: string; kind: string; reason: string }[]
  queries: Values
  rowsRead: Values
  rowsWritten: Values
  storedBytes: Values
}

export interface PipeHistory extends History {
  recordsIn: Values
  recordsWritten: Values
  bytesIn: Values
  behindRecords: Values
  behindSeconds: Values
  rejected: Values
}

export interface OrganizationHistory extends History {
  memoryBytes: Values
  memoryLimitBytes: Values
  queries: Values
  rowsWritten: Values
  storedBytes: Values
}

export type OrganizationPipe = ResultOf<'pipes.get'> & { serviceName: string }

type Backup = ResultOf<'backups.get'>

export interface OrganizationBackup {
  serviceId: string
  serviceName: string
  newest: Backup | null
  newestGood: Backup | null
  running: Backup | null
  nextDueAt: string | null
}

export interface Demo {
  state: 'absent' | 'starting' | 'running' | 'failed' | 'removing'
  step: string | null
  steps: { name: string; state: string; done: number; total: number; unit: string }[]
  serviceId: string | null
  dashboardId: string | null
  pipeId: string | null
  error: string | null
}

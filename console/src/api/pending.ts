import type { Route } from '../../../src/api/routes.ts'

/** Operations of the contract that the server's table does not have yet; each line goes when its operation comes. */
const demo = '/v1/organizations/{organizationId}/demo'

export const pendingRoutes = {
  'demo.get': { method: 'GET', path: demo },
  'demo.start': { method: 'POST', path: demo },
  'demo.remove': { method: 'DELETE', path: demo },
} as const satisfies Record<string, Route>

export type PendingId = keyof typeof pendingRoutes

export interface PendingResults {
  'demo.get': Demo
  'demo.start': Demo
  'demo.remove': Demo
}

interface Demo {
  state: 'absent' | 'starting' | 'running' | 'failed' | 'removing'
  step: string | null
  steps: { name: string; state: string; done: number; total: number; unit: string }[]
  serviceId: string | null
  dashboardId: string | null
  pipeId: string | null
  error: string | null
}

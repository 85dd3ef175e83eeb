import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AppDependencies, createApp } from './app.ts'
import { registerPublicRoutes } from './public-routes.ts'

test('every answer is told of by the name of its operation, those that nobody asked for in the interface too', async () => {
  const told: string[] = []
  const unauthorized = () => Promise.reject(new Error('nobody is known here'))
  const app = createApp({
    authenticator: {
      authenticate: unauthorized,
      sessions: { authenticate: unauthorized },
      forget: () => {},
    },
    log: { isLevelEnabled: () => false, debug() {}, info() {}, warn() {}, error() {} },
    trustProxy: false,
    onAnswer: (operation, status) => told.push(`${operation} ${status}`),
  } as Partial<AppDependencies> as AppDependencies)
  const metrics = async () => ({ contentType: 'text/plain', text: '' })
  registerPublicRoutes(app, { ready: async () => {}, metrics })
  for (const url of ['/healthz', '/v1/organizations', '/api/v2/dashboards', '/nowhere']) await app.inject(url)
  assert.deepEqual(told, [
    'public.healthz 200',
    'organizations.list 500',
    'dashboards.list 500',
    'unknown 404',
  ])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Fleet, needsOf } from './needs.ts'

const now = Date.UTC(2026, 10, 17)
const nothing: Fleet = { services: [], pipes: [], backups: [], alerts: [], keyEndsAt: null, seesKeys: true }
type Service = Fleet['services'][number]
type Backups = Fleet['backups'][number]
const service = (name: string, state: Service['state']) =>
  ({ id: `id-${name}`, name, state, stateReason: 'because' }) as Service

test('only what needs a person is named, the worst first, with its reason', () => {
  const services = [service('shop', 'running'), service('lab', 'degraded'), service('pay', 'failed')]
  const needs = needsOf({ ...nothing, services }, now)
  assert.deepEqual(
    needs.map(({ title, text, action }) => [title, text, action?.href]),
    [
      ['pay has failed.', 'because', '/services/id-pay'],
      ['lab is degraded.', 'because', '/services/id-lab'],
    ],
  )
})

test('a backup that is a day late and a key that ends soon are named', () => {
  const late = { serviceId: 's', serviceName: 'shop', newest: null, newestGood: null } as Backups
  const backups = [{ ...late, nextDueAt: new Date(now - 2 * 86_400_000).toISOString() }]
  const keyEndsAt = new Date(now + 3 * 86_400_000).toISOString()
  const titles = needsOf({ ...nothing, backups, keyEndsAt }, now).map((need) => need.title)
  assert.deepEqual(titles, ['shop has no new backup.', 'Your key ends in 3 days.'])
  const [key] = needsOf({ ...nothing, keyEndsAt, seesKeys: false }, now)
  assert.deepEqual([key?.action, /Ask an administrator/.test(key?.text ?? '')], [null, true])
  assert.deepEqual(needsOf({ ...nothing, backups: [{ ...late, nextDueAt: '' }] }, now), [])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fleetWords } from './fleet-words.ts'

test('the sentence of the fleet counts each service once', () => {
  const of = (...states: string[]) =>
    states.map((state) => ({ state, restoredFromBackupId: '' }) as Parameters<typeof fleetWords>[0][number])
  assert.equal(
    fleetWords(of('running', 'running', 'idle', 'stopped')),
    '4 services: 2 run, 1 sleeps, 1 is stopped',
  )
  assert.equal(fleetWords(of('degraded')), '1 service')
  const restored = [{ state: 'provisioning' as const, restoredFromBackupId: 'b' }]
  assert.equal(fleetWords([...of('provisioning'), ...restored]), '2 services: 1 is being restored, 1 starts')
})

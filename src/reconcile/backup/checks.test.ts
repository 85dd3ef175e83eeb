import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeBackups } from '../../../test/support/fake-backups.ts'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { createBackupChecks, stallMs } from './checks.ts'

const source = { backupId: 'b', place: { kind: 'local' } } as const

function createRig() {
  const clock = createManualClock()
  const runtime = createFakeBackups({ clock })
  runtime.disk.set('b', { place: 'local', baseId: null, whole: true, damaged: false })
  return { clock, runtime, checks: createBackupChecks({ runtime, clock }) }
}

test('a check that gets nowhere for an hour is ended and counts as a failure; the next look begins anew', async () => {
  const { clock, runtime, checks } = createRig()
  runtime.readMs = Number.POSITIVE_INFINITY
  assert.equal(checks.look(source).state, 'running')
  await clock.advance(stallMs)
  assert.equal(checks.look(source).state, 'running')
  await clock.advance(1)
  const reason = 'reading it back got nowhere for an hour'
  assert.deepEqual(checks.look(source), { state: 'failed', reason, failures: 1 })
  await clock.advance(1)
  assert.equal(clock.sleepers(), 0, 'it still reads')
  runtime.readMs = 10
  assert.equal(checks.look(source).state, 'running')
  await clock.advance(10)
  assert.deepEqual(checks.look(source), {
    state: 'ended',
    verdict: { good: true, files: 3, bytes: 1_000_000 },
  })
})

test('failures are counted until it is forgotten, and closing ends what reads', async () => {
  const { clock, runtime, checks } = createRig()
  runtime.before = () => {
    throw new Error('away')
  }
  for (const failures of [1, 2, 3]) {
    checks.look(source)
    await clock.advance(0)
    assert.deepEqual(checks.look(source), { state: 'failed', reason: 'away', failures })
  }
  checks.forget('b')
  checks.look(source)
  await clock.advance(0)
  assert.deepEqual(checks.look(source), { state: 'failed', reason: 'away', failures: 1 })
  runtime.before = () => undefined
  checks.look(source)
  await checks.close()
  assert.equal(clock.sleepers(), 0)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granary } from '../../test/support/cli-rig.ts'
import { organizationId, pipe, pipeId, serviceId } from '../../test/support/cli-samples.ts'
import { result, startFakeApi } from '../../test/support/fake-api.ts'
import type { ResultOf } from '../api/operations.ts'

const path = `/v1/organizations/${organizationId}/services/${serviceId}/pipes/${pipeId}`
const stats: NonNullable<ResultOf<'pipes.get'>['stats']> = {
  ...{
    phase: 'streaming',
    rows: 1_500_000,
    bytes: 2048,
    rejected: 3,
    rowsPerSecond: 1200.4,
    bytesPerSecond: 512,
  },
  ...{ lagRecords: 7, lagMs: 65_000, lastError: null, delivery: 'exactly_once', waiting: '', facts: {} },
}

test('a pipe is watched until it has loaded all, or has failed', async () => {
  await using api = await startFakeApi()
  const running = pipe({ stats })
  api.on('GET', path, result(running), result(running), result(pipe({ state: 'Completed' })))
  const done = await granary(api.url, ['pipes', 'watch', serviceId, pipeId])
  assert.equal(done.code, 0)
  assert.equal(
    done.stdout,
    'Running: 1,200 rows/s, 512 B/s, 7 records, 1 min behind, 1.5 million rows in all, 3 rejected\nCompleted\n',
  )
  api.on('GET', path, result(pipe({ state: 'Failed', reason: 'no topic' })))
  const failed = await granary(api.url, ['pipes', 'watch', serviceId, pipeId, '--json'])
  assert.deepEqual([failed.code, JSON.parse(failed.stdout).state], [1, 'Failed'])
})

test('--wait reads a pipe until it runs, and tells why it does not', async () => {
  await using api = await startFakeApi()
  api.on('PATCH', `${path}/state`, result(pipe({ state: 'Provisioning' })))
  api.on('GET', path, result(pipe({ state: 'Setup' })), result(pipe({ stats })))
  const started = await granary(api.url, ['pipes', 'start', serviceId, pipeId, '--wait'])
  assert.equal(started.code, 0)
  assert.match(started.stdout, /is Running/)
  api.on('GET', path, result(pipe({ state: 'Failed', reason: 'no topic' })))
  const failed = await granary(api.url, ['pipes', 'start', serviceId, pipeId, '--wait'])
  assert.equal(failed.code, 1)
  assert.match(failed.stderr, /has failed: no topic/)
})

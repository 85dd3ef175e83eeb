import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCommand, scaleCommand } from './service-commands.ts'

test('a new service is a command, with its name as one word of the shell', () => {
  const body = {
    name: "Jan's",
    tier: 'development',
    idleScaling: true,
    idleTimeoutMinutes: 15,
    numReplicas: 1,
  }
  assert.equal(
    createCommand({ ...body, ipAccessList: [{ source: '127.0.0.1' }, { source: '::1' }], backupId: 'b-1' }),
    `granary services create --name 'Jan'\\''s' --tier development --replicas 1 --idle --idle-timeout 15 --ip 127.0.0.1 --ip ::1 --backup b-1`,
  )
})

test('a change of the size names what changes alone', () => {
  assert.equal(scaleCommand('s-1', { maxReplicaMemoryGb: 64 }), 'granary services scale s-1 --max-memory 64')
  assert.equal(scaleCommand('s-1', { idleScaling: false }), 'granary services scale s-1 --no-idle')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planService } from './create.ts'
import type { ServiceRecord } from './types.ts'
import { viewService } from './view.ts'

const planned = planService(
  { name: 'test' },
  { organization: { tier: 'SCALE', paid: true }, isPrimary: true },
)
if (!('spec' in planned)) throw new Error('the sample is wrong')
const record: ServiceRecord = {
  id: 'service',
  organizationId: 'organization',
  warehouseId: 'warehouse',
  isPrimary: true,
  generation: 7,
  spec: { ...planned.spec, minReplicaMemoryGb: 12, maxReplicaMemoryGb: 356, numReplicas: 9 },
  status: {
    state: 'running',
    reason: 'all replicas serve',
    sinceMs: 1,
    observedGeneration: 7,
    dbVersion: '26.7',
    provisioned: true,
    current: { numReplicas: 9, replicaMemoryGb: 12 },
  },
  endpointPort: 18123,
  createdAtMs: Date.UTC(2030, 0, 1),
  updatedAtMs: Date.UTC(2030, 0, 2),
}
const endpoint = { protocol: 'http', host: '127.0.0.1' }

test('totals are three times the values per replica, whatever the replica count', () => {
  const view = viewService(record, endpoint)
  assert.deepEqual([view.minTotalMemoryGb, view.maxTotalMemoryGb, view.numReplicas], [36, 1068, 9])
})

test('what the interface has and we do not use is empty, never absent', () => {
  const view: Record<string, unknown> = viewService(record, endpoint)
  for (const name of ['encryptionKey', 'encryptionAssumedRoleIdentifier', 'iamRole', 'byocId'])
    assert.equal(view[name], '', name)
  for (const name of ['transparentDataEncryptionKeyId', 'encryptionRoleId', 'restoredFromBackupId'])
    assert.equal(view[name], '', name)
  assert.deepEqual([view['privateEndpointIds'], view['availablePrivateEndpointIds']], [[], []])
  assert.equal(view['hasTransparentDataEncryption'], false)
  for (const [name, value] of Object.entries(view)) assert.ok(value !== undefined && value !== null, name)
})

test('what is wanted and what is there stand beside each other', () => {
  const off = viewService({ ...record, spec: { ...record.spec, power: 'off' } }, endpoint)
  assert.deepEqual([off.state, off.desiredState], ['running', 'stopped'])
  assert.deepEqual(off.endpoints, [{ ...endpoint, port: 18123, username: 'default' }])
  assert.equal(off.createdAt, '2030-01-01T00:00:00.000Z')
  assert.ok(!('generation' in off))
})

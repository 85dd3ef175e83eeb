import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatPath } from '../issue.ts'
import { planService, type ServiceDraft } from './create.ts'
import type { ServiceSpec } from './types.ts'

const scale = { organization: { tier: 'SCALE', paid: true }, isPrimary: true } as const
const basic = { organization: { tier: 'BASIC', paid: false }, isPrimary: true } as const
const plan = (draft: Partial<ServiceDraft>, context: Parameters<typeof planService>[1] = scale) =>
  planService({ name: 'test', ...draft }, context)

function specOf(draft: Partial<ServiceDraft>, context?: Parameters<typeof planService>[1]): ServiceSpec {
  const planned = plan(draft, context)
  return 'spec' in planned ? planned.spec : assert.fail(JSON.stringify(planned.issues))
}

function flaws(draft: Partial<ServiceDraft>, context?: Parameters<typeof planService>[1]): string[] {
  const planned = plan(draft, context)
  return 'issues' in planned ? planned.issues.map(({ path, code }) => `${formatPath(path)}: ${code}`) : []
}

test('everything but the name has a default', () => {
  assert.deepEqual(specOf({}), {
    name: 'test',
    tier: 'production',
    provider: 'local',
    region: 'local',
    minReplicaMemoryGb: 8,
    maxReplicaMemoryGb: 120,
    numReplicas: 3,
    idleScaling: true,
    idleTimeoutMinutes: 15,
    ipAccessList: [
      { source: '0.0.0.0/0', description: 'Anywhere (IPv4)' },
      { source: '::/0', description: 'Anywhere (IPv6)' },
    ],
    tags: [],
    isReadonly: false,
    durableInserts: true,
    power: 'on',
    deleting: false,
    restoredFrom: null,
  })
  assert.equal(specOf({}, basic).numReplicas, 1)
  const enterprise = { organization: { tier: 'ENTERPRISE', paid: true }, isPrimary: true } as const
  assert.equal(specOf({}, enterprise).numReplicas, 3)
})

test('the defaults hold for every organization, paid or not', () => {
  for (const tier of ['BASIC', 'SCALE', 'ENTERPRISE'] as const)
    for (const paid of [true, false])
      for (const isPrimary of [true, false])
        for (const serviceTier of ['production', 'development'] as const)
          assert.deepEqual(flaws({ tier: serviceTier }, { organization: { tier, paid }, isPrimary }), [])
})

test('one bound alone moves the other to it', () => {
  const bounds = (draft: Partial<ServiceDraft>) => {
    const { minReplicaMemoryGb, maxReplicaMemoryGb } = specOf(draft)
    return [minReplicaMemoryGb, maxReplicaMemoryGb]
  }
  assert.deepEqual(bounds({ minReplicaMemoryGb: 356 }), [356, 356])
  assert.deepEqual(bounds({ minTotalMemoryGb: 600 }), [200, 200])
  assert.deepEqual(bounds({ maxReplicaMemoryGb: 8 }), [8, 8])
  assert.deepEqual(bounds({ maxTotalMemoryGb: 24 }), [8, 8])
})

test('one bound cannot be given in both forms', () => {
  const both = { minTotalMemoryGb: 48, minReplicaMemoryGb: 16, maxTotalMemoryGb: 96, maxReplicaMemoryGb: 32 }
  assert.deepEqual(flaws(both), ['minTotalMemoryGb: not_allowed', 'maxTotalMemoryGb: not_allowed'])
})

test('only a service that joins a warehouse can be read-only, and only one that begins one can be restored', () => {
  assert.deepEqual(flaws({ isReadonly: true }), ['isReadonly: not_allowed'])
  assert.deepEqual(flaws({ backupId: 'b' }, { ...scale, isPrimary: false }), ['backupId: not_allowed'])
  assert.equal(specOf({ isReadonly: true }, { ...scale, isPrimary: false }).isReadonly, true)
  assert.equal(specOf({ backupId: 'b' }).restoredFrom, 'b')
})

test('all issues are told at once', () => {
  const wrong = flaws({ isReadonly: true, numReplicas: 1, minReplicaMemoryGb: 64, maxReplicaMemoryGb: 32 })
  assert.deepEqual(wrong, [
    'isReadonly: not_allowed',
    'minReplicaMemoryGb: out_of_range',
    'numReplicas: out_of_range',
  ])
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { formatPath, type Issue } from '../issue.ts'
import { organizationTiers } from '../organization/tiers.ts'
import { numReplicas, replicaMemoryGb, serviceTiers, totalMemoryGb } from './limits.ts'
import {
  checkScaling,
  nearestReplicas,
  planScaling,
  type ScalingChange,
  type ScalingContext,
} from './scaling.ts'
import type { ScalingSpec } from './types.ts'

const stored: ScalingSpec = {
  minReplicaMemoryGb: 16,
  maxReplicaMemoryGb: 64,
  numReplicas: 3,
  idleScaling: true,
  idleTimeoutMinutes: 15,
}
const context: ScalingContext = {
  organization: { tier: 'SCALE', paid: true },
  serviceTier: 'production',
  isPrimary: true,
}
const flaws = (change: ScalingChange, over: Partial<ScalingContext> = {}): string[] => {
  const planned = planScaling(stored, change, { ...context, ...over })
  return 'issues' in planned ? planned.issues.map(told) : []
}
const told = ({ path, code }: Issue): string => `${formatPath(path)}: ${code}`

test('the numbers are those of the interface', () => {
  assert.deepEqual(replicaMemoryGb, { min: 8, max: 356, maxUnpaid: 120, step: 4 })
  assert.deepEqual(totalMemoryGb, { min: 24, max: 1068, maxUnpaid: 360, step: 12 })
  assert.deepEqual(numReplicas, { min: 1, minFirstInWarehouse: 2, max: 20 })
})

test('an empty change is what was stored', () => {
  assert.deepEqual(planScaling(stored, {}, context), { scaling: stored })
})

test('totals are divided by three', () => {
  const planned = planScaling(stored, { minTotalMemoryGb: 24, maxTotalMemoryGb: 1068 }, context)
  assert.deepEqual(planned, { scaling: { ...stored, minReplicaMemoryGb: 8, maxReplicaMemoryGb: 356 } })
})

describe('the merged whole', () => {
  test('keeps min at or below max, and names the field that was sent in its own form', () => {
    assert.deepEqual(flaws({ minReplicaMemoryGb: 64 }), [])
    assert.deepEqual(flaws({ minReplicaMemoryGb: 68 }), ['minReplicaMemoryGb: out_of_range'])
    assert.deepEqual(flaws({ minTotalMemoryGb: 204 }), ['minTotalMemoryGb: out_of_range'])
    assert.deepEqual(flaws({ maxReplicaMemoryGb: 12 }), ['maxReplicaMemoryGb: out_of_range'])
    assert.deepEqual(flaws({ maxTotalMemoryGb: 36 }), ['maxTotalMemoryGb: out_of_range'])
  })

  test('is at most 120 GB per replica where nobody pays', () => {
    const unpaid = { organization: { tier: 'SCALE', paid: false } } as const
    assert.deepEqual(flaws({ maxReplicaMemoryGb: 120 }, unpaid), [])
    assert.deepEqual(flaws({ maxReplicaMemoryGb: 124 }, unpaid), ['maxReplicaMemoryGb: out_of_range'])
    assert.deepEqual(flaws({ maxTotalMemoryGb: 372 }, unpaid), ['maxTotalMemoryGb: out_of_range'])
  })

  test('has memory fields only in production', () => {
    const development = { serviceTier: 'development' } as const
    assert.deepEqual(flaws({ minReplicaMemoryGb: 16, maxTotalMemoryGb: 192 }, development), [
      'minReplicaMemoryGb: not_allowed',
      'maxTotalMemoryGb: not_allowed',
    ])
    assert.deepEqual(flaws({ idleScaling: false, idleTimeoutMinutes: 5, numReplicas: 2 }, development), [])
  })

  test('has as many replicas as tier and place allow', () => {
    for (const [tier, isPrimary, allowed] of [
      ['BASIC', true, [1]],
      ['BASIC', false, [1]],
      ['SCALE', true, [2, 20]],
      ['SCALE', false, [1, 2, 20]],
      ['ENTERPRISE', true, [2, 20]],
      ['ENTERPRISE', false, [1, 2, 20]],
    ] as const) {
      for (const count of [1, 2, 20]) {
        const found = flaws({ numReplicas: count }, { organization: { tier, paid: true }, isPrimary })
        const holds = (allowed as readonly number[]).includes(count)
        assert.deepEqual(found, holds ? [] : ['numReplicas: out_of_range'], `${tier} ${isPrimary} ${count}`)
      }
    }
  })
})

/** Values that pass the schemas. */
const memory = fc.integer({ min: 2, max: 89 }).map((steps) => steps * 4)
const change = fc.record(
  {
    minReplicaMemoryGb: memory,
    maxReplicaMemoryGb: memory,
    numReplicas: fc.integer({ min: 1, max: 20 }),
    idleScaling: fc.boolean(),
    idleTimeoutMinutes: fc.integer({ min: 5, max: 1_000 }),
  },
  { requiredKeys: [] },
)
const anyContext = fc.record({
  organization: fc.record({ tier: fc.constantFrom(...organizationTiers), paid: fc.boolean() }),
  serviceTier: fc.constantFrom(...serviceTiers),
  isPrimary: fc.boolean(),
})

test('whatever is accepted holds as a whole, and is what was sent laid over what was stored', () => {
  fc.assert(
    fc.property(change, anyContext, (sent, place) => {
      const planned = planScaling(stored, sent, place)
      if ('issues' in planned) {
        assert.ok(planned.issues.length > 0)
        return
      }
      assert.deepEqual(checkScaling(planned.scaling, place), [])
      assert.deepEqual(planned.scaling, { ...stored, ...sent })
    }),
    { seed: 7, numRuns: 500 },
  )
})

test('both forms of the same change come to the same', () => {
  fc.assert(
    fc.property(memory, memory, anyContext, (min, max, place) => {
      const perReplica = planScaling(stored, { minReplicaMemoryGb: min, maxReplicaMemoryGb: max }, place)
      const inTotal = planScaling(stored, { minTotalMemoryGb: min * 3, maxTotalMemoryGb: max * 3 }, place)
      if ('scaling' in perReplica) assert.deepEqual(inTotal, perReplica)
      else assert.equal('issues' in inTotal && inTotal.issues.length, perReplica.issues.length)
    }),
    { seed: 8, numRuns: 500 },
  )
})

test('the nearest number of replicas is allowed, and no allowed one is nearer', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...organizationTiers),
      fc.boolean(),
      fc.integer({ min: 1, max: 20 }),
      (tier, isPrimary, count) => {
        const within = { ...context, organization: { tier, paid: true }, isPrimary }
        const allowed = Array.from({ length: 20 }, (_, index) => index + 1).filter(
          (candidate) => checkScaling({ ...stored, numReplicas: candidate }, within).length === 0,
        )
        const distance = Math.min(...allowed.map((candidate) => Math.abs(candidate - count)))
        const nearest = nearestReplicas(count, within)
        assert.ok(allowed.includes(nearest))
        assert.equal(Math.abs(nearest - count), distance)
      },
    ),
  )
})

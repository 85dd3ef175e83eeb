import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Answer, assertInvalid, createWorld, resultOf, type World } from '../support/walk.ts'

let world: World
before(async () => {
  world = await createWorld({ empty: true })
})
after(() => world.close())

const forms = {
  scaling: { min: 'minTotalMemoryGb', max: 'maxTotalMemoryGb' },
  replicaScaling: { min: 'minReplicaMemoryGb', max: 'maxReplicaMemoryGb' },
} as const
type Form = keyof typeof forms

async function newService(body: object = {}): Promise<string> {
  return resultOf(await world.api('POST', '/services', { name: 'memory', ...body })).service.id
}
const scale = (id: string, form: Form, body: object): Promise<Answer> =>
  world.api('PATCH', `/services/${id}/${form}`, body)

const outOfRange = 'out_of_range'
const notMultiple = 'not_multiple'
const wrongType = 'invalid_type'

/** The issue codes that each value of a bound gives; none where the value is valid. */
const edges: Record<Form, [value: unknown, ...codes: string[]][]> = {
  scaling: [
    [0, outOfRange],
    [12, outOfRange],
    [23, outOfRange, notMultiple],
    [24],
    [25, notMultiple],
    [24.5, notMultiple],
    [36],
    [360],
    [1056],
    [1068],
    [1069, outOfRange, notMultiple],
    [1080, outOfRange],
    [-24, outOfRange],
    [12_000, outOfRange],
    ['24', wrongType],
    [null, wrongType],
    [true, wrongType],
    [[24], wrongType],
  ],
  replicaScaling: [
    [0, outOfRange],
    [4, outOfRange],
    [7, outOfRange, notMultiple],
    [8],
    [10, notMultiple],
    [8.5, notMultiple],
    [12],
    [120],
    [124],
    [352],
    [356],
    [357, outOfRange, notMultiple],
    [360, outOfRange],
    [-8, outOfRange],
    [12_000, outOfRange],
    ['8', wrongType],
    [null, wrongType],
    [false, wrongType],
    [{}, wrongType],
  ],
}

for (const form of Object.keys(forms) as Form[]) {
  const { min, max } = forms[form]
  describe(`the bounds of ${form}`, () => {
    for (const [value, ...codes] of edges[form]) {
      test(`${JSON.stringify(value)} ${codes.length === 0 ? 'holds' : `is ${codes.join(' and ')}`}`, async () => {
        const id = await newService({ minReplicaMemoryGb: 8, maxReplicaMemoryGb: 356 })
        for (const field of [min, max]) {
          const answer = await scale(id, form, { [field]: value })
          if (codes.length > 0) assertInvalid(answer, ...codes.map((code) => `${field}: ${code}`))
          else assert.equal(resultOf(answer)[field], value)
          if (codes.length === 0) resultOf(await scale(id, form, { [min]: form === 'scaling' ? 24 : 8 }))
        }
      })
    }

    test('the same edges hold at creation', async () => {
      for (const [value, ...codes] of edges[form]) {
        const answer = await world.api('POST', '/services', { name: 'memory', [max]: value })
        if (codes.length > 0) assertInvalid(answer, ...codes.map((code) => `${max}: ${code}`))
        else assert.equal(resultOf(answer).service[max], value)
      }
    })

    test('min above max is refused in one request, and names the field that was sent', async () => {
      const unit = form === 'scaling' ? 3 : 1
      const id = await newService({ minReplicaMemoryGb: 16, maxReplicaMemoryGb: 64 })
      const both = await scale(id, form, { [min]: 48 * unit, [max]: 32 * unit })
      assertInvalid(both, `${min}: ${outOfRange}`)
      assert.ok(both.body.error.includes(`(${32 * unit})`), both.body.error)
      assert.equal(resultOf(await scale(id, form, { [min]: 32 * unit, [max]: 32 * unit }))[max], 32 * unit)
    })

    test('min above max is refused when one of them is stored', async () => {
      const unit = form === 'scaling' ? 3 : 1
      const id = await newService({ minReplicaMemoryGb: 16, maxReplicaMemoryGb: 64 })
      assertInvalid(await scale(id, form, { [min]: 68 * unit }), `${min}: ${outOfRange}`)
      assertInvalid(await scale(id, form, { [max]: 12 * unit }), `${max}: ${outOfRange}`)
      const stored = resultOf(await world.api('GET', `/services/${id}`))
      assert.deepEqual([stored.minReplicaMemoryGb, stored.maxReplicaMemoryGb], [16, 64])
    })

    test('a development service refuses each memory field, with the form that was used', async () => {
      const id = await newService({ tier: 'development' })
      for (const field of [min, max]) {
        const value = form === 'scaling' ? 24 : 8
        assertInvalid(await scale(id, form, { [field]: value }), `${field}: not_allowed`)
        const created = await world.api('POST', '/services', {
          name: 'dev',
          tier: 'development',
          [field]: value,
        })
        assertInvalid(created, `${field}: not_allowed`)
      }
      assert.equal(resultOf(await scale(id, form, { idleTimeoutMinutes: 30 })).idleTimeoutMinutes, 30)
    })

    test('the other form’s fields are unknown here', async () => {
      const id = await newService()
      const other = form === 'scaling' ? forms.replicaScaling : forms.scaling
      assertInvalid(await scale(id, form, { [other.min]: 24 }), `${other.min}: unknown_field`)
    })
  })
}

test('a non-paid service has at most 120 GB per replica, 360 in total', async () => {
  // A separate server: the services of the other tests are too large for a non-paid organization.
  const alone = await createWorld({ empty: true })
  try {
    const service = resultOf(await alone.api('POST', '/services', { name: 'unpaid' })).service
    resultOf(await alone.api('PATCH', '', { paid: false }))
    const path = `/services/${service.id}`
    const allowed = resultOf(await alone.api('PATCH', `${path}/replicaScaling`, { maxReplicaMemoryGb: 120 }))
    assert.equal(allowed.maxTotalMemoryGb, 360)
    resultOf(await alone.api('PATCH', `${path}/scaling`, { maxTotalMemoryGb: 360 }))
    const perReplica = await alone.api('PATCH', `${path}/replicaScaling`, { maxReplicaMemoryGb: 124 })
    assertInvalid(perReplica, 'maxReplicaMemoryGb: out_of_range')
    assert.match(perReplica.body.error, /at most 120/)
    const inTotal = await alone.api('PATCH', `${path}/scaling`, { maxTotalMemoryGb: 372 })
    assertInvalid(inTotal, 'maxTotalMemoryGb: out_of_range')
    assert.match(inTotal.body.error, /at most 360/)
    const min = await alone.api('PATCH', `${path}/replicaScaling`, { minReplicaMemoryGb: 124 })
    assertInvalid(min, 'minReplicaMemoryGb: out_of_range')
    const created = await alone.api('POST', '/services', { name: 'large', maxReplicaMemoryGb: 124 })
    assertInvalid(created, 'maxReplicaMemoryGb: out_of_range')
    resultOf(await alone.api('PATCH', '', { paid: true }))
    resultOf(await alone.api('PATCH', `${path}/replicaScaling`, { maxReplicaMemoryGb: 124 }))
  } finally {
    await alone.close()
  }
})

test('totals are three times the values per replica, whatever the replica count', async () => {
  const id = await newService({ numReplicas: 5, minReplicaMemoryGb: 8, maxReplicaMemoryGb: 40 })
  const service = resultOf(await world.api('GET', `/services/${id}`))
  assert.deepEqual([service.minTotalMemoryGb, service.maxTotalMemoryGb], [24, 120])
  const scaled = resultOf(
    await scale(id, 'scaling', { minTotalMemoryGb: 36, maxTotalMemoryGb: 240, numReplicas: 7 }),
  )
  assert.deepEqual([scaled.minReplicaMemoryGb, scaled.maxReplicaMemoryGb], [12, 80])
  assert.equal(scaled.numReplicas, 7)
})

test('the deprecated form says so in a header and in a warning; the other does not', async () => {
  const id = await newService()
  const old = await scale(id, 'scaling', { minTotalMemoryGb: 36 })
  resultOf(old)
  assert.match(old.headers.get('deprecation') ?? '', /^@\d+$/)
  const successor = `/v1/organizations/${world.main.organizationId}/services/${id}/replicaScaling`
  assert.equal(old.headers.get('link'), `<${successor}>; rel="successor-version"`)
  assert.match(old.body.warnings.join(), /deprecated/)
  const now = await scale(id, 'replicaScaling', { minReplicaMemoryGb: 16 })
  assert.equal(now.headers.get('deprecation'), null)
  assert.ok(!('warnings' in now.body))
})

test('both forms for the same bound at creation are refused, of different bounds they hold', async () => {
  const both = { name: 'both', maxTotalMemoryGb: 96, maxReplicaMemoryGb: 32 }
  assertInvalid(await world.api('POST', '/services', both), 'maxTotalMemoryGb: not_allowed')
  const mixed = { name: 'mixed', minTotalMemoryGb: 48, maxReplicaMemoryGb: 32 }
  const { service } = resultOf(await world.api('POST', '/services', mixed))
  assert.deepEqual([service.minReplicaMemoryGb, service.maxReplicaMemoryGb], [16, 32])
})

test('a bound that is named alone moves the default of the other', async () => {
  const low = resultOf(await world.api('POST', '/services', { name: 'low', minReplicaMemoryGb: 200 })).service
  assert.deepEqual([low.minReplicaMemoryGb, low.maxReplicaMemoryGb], [200, 200])
  const plain = resultOf(await world.api('POST', '/services', { name: 'plain' })).service
  assert.deepEqual([plain.minReplicaMemoryGb, plain.maxReplicaMemoryGb], [8, 120])
  const dev = resultOf(await world.api('POST', '/services', { name: 'dev', tier: 'development' })).service
  assert.deepEqual([dev.minReplicaMemoryGb, dev.maxReplicaMemoryGb], [8, 8])
})

test('every wrong field of a request is told at once', async () => {
  const id = await newService()
  const answer = await scale(id, 'scaling', {
    minTotalMemoryGb: 23,
    maxTotalMemoryGb: '24',
    numReplicas: 21,
    idleScaling: 'true',
    idleTimeoutMinutes: 4,
    extra: 1,
  })
  assertInvalid(
    answer,
    'minTotalMemoryGb: out_of_range',
    'minTotalMemoryGb: not_multiple',
    'maxTotalMemoryGb: invalid_type',
    'numReplicas: out_of_range',
    'idleScaling: invalid_type',
    'idleTimeoutMinutes: out_of_range',
    'extra: unknown_field',
  )
})

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { assertInvalid, assertRefused, createWorld, makeKey, resultOf, type World } from '../support/walk.ts'

let world: World
before(async () => {
  world = await createWorld({ empty: true, env: { GRANARY_MAX_SERVICES: '5', GRANARY_MAX_KEYS: '7' } })
})
after(() => world.close())

const patch = (body: object) => world.api('PATCH', '', body)
const create = (body: object) => world.api('POST', '/services', { name: 'test', ...body })

test('a key lists the one organization that it belongs to', async () => {
  const listed = resultOf(await world.raw('GET', '/v1/organizations'))
  assert.equal(listed.length, 1)
  assert.deepEqual(listed[0], resultOf(await world.api('GET', '')))
  assert.deepEqual(Object.keys(listed[0]).sort(), ['createdAt', 'id', 'name', 'paid', 'tier'])
})

test('a change keeps what it does not name; an empty one changes nothing', async () => {
  const before = resultOf(await patch({ name: 'Acme' }))
  assert.equal(before.name, 'Acme')
  assert.deepEqual(resultOf(await patch({})), before)
  for (const tier of ['basic', 'PREMIUM', '']) assertInvalid(await patch({ tier }), 'tier: invalid_value')
  assertInvalid(await patch({ paid: 'true' }), 'paid: invalid_type')
  assertInvalid(await patch({ name: '' }), 'name: too_short')
})

test('the end of being paid is refused while services have more memory, and the answer names each', async () => {
  const first = resultOf(await create({ name: 'three', maxReplicaMemoryGb: 200 })).service
  const { dataWarehouseId } = first
  const later = resultOf(await create({ name: 'one', dataWarehouseId, numReplicas: 1 })).service
  const unpaid = await patch({ paid: false, tier: 'BASIC', name: 'Unpaid' })
  assertRefused(unpaid, 409, 'CONFLICT')
  assert.deepEqual(
    unpaid.body.services.map((service: { serviceId: string }) => service.serviceId),
    [first.id],
  )
  assert.match(unpaid.body.error, /three/)
  assert.match(unpaid.body.services[0].rule, /maxReplicaMemoryGb must be at most 120/)
  const kept = resultOf(await world.api('GET', ''))
  assert.deepEqual([kept.name, kept.tier, kept.paid], ['Acme', 'SCALE', true], 'nothing of it was done')
  assert.equal(resultOf(await world.api('GET', `/services/${first.id}`)).numReplicas, 3)

  resultOf(await world.api('PATCH', `/services/${first.id}/replicaScaling`, { maxReplicaMemoryGb: 120 }))
  assert.equal(resultOf(await patch({ paid: false })).paid, false)
  assert.equal(resultOf(await patch({ tier: 'ENTERPRISE' })).tier, 'ENTERPRISE')
  assert.equal(resultOf(await world.api('GET', `/services/${later.id}`)).numReplicas, 1)
})

describe('quotas', () => {
  const usage = async (code: string) => resultOf(await world.api('GET', `/quotas/${code}`)).usage

  test('show limit and use', async () => {
    const quotas = resultOf(await world.api('GET', '/quotas'))
    for (const quota of quotas)
      assert.deepEqual(resultOf(await world.api('GET', `/quotas/${quota.quotaCode}`)), quota)
    const limits = quotas.map((quota: { quotaCode: string; limit: number }) => [quota.quotaCode, quota.limit])
    assert.deepEqual(limits, [
      ['services-per-organization', 5],
      ['keys-per-organization', 7],
    ])
    const services = resultOf(await world.api('GET', '/services'))
    assert.equal(await usage('services-per-organization'), services.length)
    const keys = resultOf(await world.api('GET', '/keys'))
    assert.equal(await usage('keys-per-organization'), keys.length)
  })

  test('one service or key more than the limit gives 422, and use goes down again', async () => {
    for (let used = await usage('services-per-organization'); used < 5; used++) resultOf(await create({}))
    assertRefused(await create({}), 422, 'QUOTA_EXCEEDED')
    assert.equal(await usage('services-per-organization'), 5)
    // A malformed request gets its issues, even when the quota is used up.
    assertInvalid(await create({ numReplicas: 1 }), 'numReplicas: out_of_range')

    const made: string[] = []
    for (let used = await usage('keys-per-organization'); used < 7; used++)
      made.push((await makeKey(world, {})).id)
    assertRefused(await world.api('POST', '/keys', { name: 'one more' }), 422, 'QUOTA_EXCEEDED')
    resultOf(await world.api('DELETE', `/keys/${made[0]}`))
    assert.equal(await usage('keys-per-organization'), 6)
    resultOf(await world.api('POST', '/keys', { name: 'one more' }))
  })

  test('holds when many ask at once', async () => {
    const crowded = await createWorld({ empty: true, env: { GRANARY_MAX_SERVICES: '3' } })
    try {
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => crowded.api('POST', '/services', { name: 'crowd' })),
      )
      const statuses = answers.map(({ status }) => status).sort()
      assert.deepEqual(statuses, [...Array(3).fill(200), ...Array(9).fill(422)])
      const ports = resultOf(await crowded.api('GET', '/services')).map(
        (service: { endpoints: { port: number }[] }) => service.endpoints[0]?.port,
      )
      assert.equal(new Set(ports).size, 3)
    } finally {
      await crowded.close()
    }
  })

  test('ports are a quota too', async () => {
    const narrow = await createWorld({ empty: true, env: { GRANARY_SERVICE_PORTS: '18123-18123' } })
    try {
      await narrow.newService()
      const answer = await narrow.api('POST', '/services', { name: 'too many' })
      assertRefused(answer, 422, 'QUOTA_EXCEEDED')
      assert.match(answer.body.error, /GRANARY_SERVICE_PORTS/)
    } finally {
      await narrow.close()
    }
  })
})

describe('metrics', () => {
  /** Name, labels and value of each sample; fails on a line that is neither a sample nor a comment. */
  function parse(text: string): { name: string; labels: Record<string, string>; value: number }[] {
    assert.ok(text.endsWith('\n'))
    const typed = new Set<string>()
    const samples = []
    for (const line of text.trimEnd().split('\n')) {
      const comment = /^# (HELP|TYPE) (\w+) \S/.exec(line)
      if (comment) {
        if (comment[1] === 'TYPE') typed.add(comment[2] ?? '')
        continue
      }
      const [, name = '', list = '', value] = /^(\w+)\{(.*)\} (-?[\d.e+]+)$/.exec(line) ?? assert.fail(line)
      assert.ok(typed.has(name), `${name} comes before its type`)
      const labels = [...list.matchAll(/(\w+)="((?:[^"\\]|\\["\\n])*)"/g)].map(([, key = '', text = '']) => [
        key,
        text,
      ])
      samples.push({ name, labels: Object.fromEntries(labels), value: Number(value) })
    }
    return samples
  }

  test('of the organization and of one service are Prometheus text', async () => {
    const services = resultOf(await world.api('GET', '/services'))
    const [service] = services
    const all = parse((await world.api('GET', '/prometheus')).body)
    const info = all.filter(({ name }) => name === 'granary_service_info')
    assert.equal(info.length, services.length)
    const one = parse((await world.api('GET', `/services/${service.id}/prometheus`)).body)
    assert.deepEqual(new Set(one.map(({ labels }) => labels['service'])), new Set([service.id]))
    const desired = one.find(({ name }) => name === 'granary_service_replicas_desired')
    assert.equal(desired?.value, service.numReplicas)
    const states = one.filter(({ name, value }) => name === 'granary_service_state' && value === 1)
    assert.deepEqual(
      states.map(({ labels }) => labels['state']),
      [service.state],
    )
    const memory = one.find(({ name }) => name === 'granary_service_replica_memory_max_bytes')
    assert.equal(memory?.value, service.maxReplicaMemoryGb * 1024 ** 3)
  })

  test('can be only the most important ones', async () => {
    const all = parse((await world.api('GET', '/prometheus')).body)
    const few = parse((await world.api('GET', '/prometheus?filtered_metrics=true')).body)
    assert.ok(few.length > 0 && few.length < all.length)
    assert.deepEqual(parse((await world.api('GET', '/prometheus?filtered_metrics=false')).body), all)
    for (const wrong of ['yes', '1', ''])
      assertInvalid(
        await world.api('GET', `/prometheus?filtered_metrics=${wrong}`),
        'query.filtered_metrics: invalid_type',
      )
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServiceRecord } from '../../src/domain/service/types.ts'
import type { Store } from '../../src/store/store.ts'
import { addOrganization, addService, serviceOf } from './store-records.ts'
import { type CreateRig, claimOne } from './store-rig.ts'

/** Endpoint ports: each service has its own port for as long as it exists. */
export function testStorePorts(createRig: CreateRig): void {
  test('ports are given out until none is left, and come back with the service that had them', async (t) => {
    const { store: first, open } = await createRig(t)
    const { id: organizationId } = await addOrganization(first)
    const store = await open({ endpointPorts: { from: 21_000, to: 21_002 } })
    const services = [
      await addService(store, organizationId),
      await addService(store, organizationId),
      await addService(store, organizationId),
    ]
    assert.deepEqual(portsOf(services), [21_000, 21_001, 21_002])
    const insert = () => store.transaction((tx) => tx.services.insert(serviceOf(organizationId), 'hash'))
    assert.equal(await insert(), null)
    assert.equal((await store.services.list(organizationId)).length, 3)
    assert.equal((await store.organizations.get(organizationId))?.serviceCount, 3)
    await remove(store, services[1] ?? assert.fail())
    assert.equal((await insert())?.endpointPort, 21_001)
    assert.equal(await insert(), null)
  })

  test('another range: services keep their ports, new ones get theirs from the new range only', async (t) => {
    const { store: first, open } = await createRig(t)
    const { id: organizationId } = await addOrganization(first)
    const before = await open({ endpointPorts: { from: 21_000, to: 21_003 } })
    const old = [await addService(before, organizationId), await addService(before, organizationId)]
    const after = await open({ endpointPorts: { from: 21_001, to: 21_002 } })
    assert.deepEqual(portsOf(await after.services.list(organizationId)), portsOf(old))
    // 21001 is in use and in the new range; 21002 is the only free one.
    assert.equal((await addService(after, organizationId)).endpointPort, 21_002)
    await remove(after, old[0] ?? assert.fail())
    const none = await after.transaction((tx) => tx.services.insert(serviceOf(organizationId), 'hash'))
    assert.equal(none, null, 'a port outside of the range was given out again')
    await remove(after, old[1] ?? assert.fail())
    assert.equal((await addService(after, organizationId)).endpointPort, 21_001)
  })

  test('services of several organizations made at once all get a port, each its own', async (t) => {
    const { store, peer } = await createRig(t)
    const organizations = await Promise.all([1, 2, 3].map(() => addOrganization(store)))
    const made = await Promise.all(
      Array.from({ length: 30 }, (_, n) => {
        const { id } = organizations[n % 3] ?? assert.fail()
        return addService(n % 2 ? peer : store, id)
      }),
    )
    assert.equal(new Set(portsOf(made)).size, 30)
  })
}

const portsOf = (services: ServiceRecord[]) =>
  services.map(({ endpointPort }) => endpointPort).sort((a, b) => a - b)

async function remove(store: Store, service: ServiceRecord): Promise<void> {
  const claim = await claimOne(store, 'service', service.id)
  assert.equal(await store.transaction((tx) => tx.services.remove(service, claim)), true)
}

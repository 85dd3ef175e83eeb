import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addOrganization, addService, keyOf } from '../../../test/support/store-records.ts'
import { createPostgresRig, secretKey } from '../../../test/support/store-rig.ts'
import { noResources } from '../../domain/service/resources.ts'
import { createSecretBox } from '../../store/secret-box.ts'
import { createChangeHub } from '../changes.ts'
import type { Caller, ControlContext } from '../context.ts'
import { resetPassword } from './password.ts'
import { createUser, deleteUser, resetUserPassword, updateUser } from './users.ts'

test('postgres: changes of users and passwords lock the organization before the service, as all others do', async (t) => {
  const { store, clock, until, execute } = await createPostgresRig(t)
  const { id: organizationId } = await addOrganization(store)
  const { id: serviceId } = await addService(store, organizationId)
  let changes = 0
  const context: ControlContext = {
    store,
    clock,
    secretBox: createSecretBox(secretKey),
    endpoint: { protocol: 'http', host: 'localhost' },
    quotas: { servicesPerOrganization: 1, keysPerOrganization: 1 },
    wake: () => assert.fail('nothing is to be done'),
    restoreProgress: async () => null,
    resources: async () => noResources,
    pipeStatus: () => null,
    pipeLanes: () => [],
    rejectedRecords: null,
    dataPlane: { id: '', openEndpoint: async () => {} },
    changes: createChangeHub(clock),
    timeScale: 1,
    tryBackupLocation: null,
    tables: null,
    webhookRefusal: async () => null,
    keepsDashboardFiles: false,
    demo: null,
    queries: null,
    statements: null,
    pipeChecks: null,
    keysChanged: () => assert.fail('no API key changed'),
    loginsChanged: () => {
      changes += 1
    },
  }
  const caller: Caller = { key: keyOf(organizationId), ipAddress: '', userAgent: '', requestId: '' }
  const { user } = await createUser(context, caller, serviceId, { name: 'first' })
  const path = { serviceId, userId: user.id }
  const all: Record<string, () => Promise<unknown>> = {
    create: () => createUser(context, caller, serviceId, { name: 'second' }),
    update: () => updateUser(context, caller, path, { role: 'readOnly' }),
    'reset a password': () => resetUserPassword(context, caller, path, {}),
    delete: () => deleteUser(context, caller, path),
    'reset the password of the service': () => resetPassword(context, caller, serviceId, {}),
  }
  for (const [name, change] of Object.entries(all)) {
    const before = changes
    const changed = await store.transaction(async (tx) => {
      await tx.organizations.get(organizationId, 'update')
      const running = change()
      running.catch(() => {})
      await until(`${name} waits`, async () => {
        const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        return (await execute(waiting)).length > 0
      })
      // The holder of the organization's lock may go on to lock the service, so the waiting transaction must
      // not hold it.
      await tx.services.get(organizationId, serviceId)
      return { running }
    })
    await changed.running
    assert.equal(changes, before + 1, `${name} was not told`)
  }
})

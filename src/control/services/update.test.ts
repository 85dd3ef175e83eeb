import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addOrganization, addService, keyOf } from '../../../test/support/store-records.ts'
import { createSqliteRig, secretKey } from '../../../test/support/store-rig.ts'
import { noResources } from '../../domain/service/resources.ts'
import { createSecretBox } from '../../store/secret-box.ts'
import { createChangeHub } from '../changes.ts'
import type { Caller, ControlContext } from '../context.ts'
import { updateService } from './update.ts'
import { createUser, updateUser } from './users.ts'

test('a change that changes nothing wakes nobody', async (t) => {
  const { store, clock } = await createSqliteRig(t)
  const { id: organizationId } = await addOrganization(store)
  const { id } = await addService(store, organizationId)
  const told: string[] = []
  const context: ControlContext = {
    store,
    clock,
    secretBox: createSecretBox(secretKey),
    endpoint: { protocol: 'http', host: 'localhost' },
    quotas: { servicesPerOrganization: 1, keysPerOrganization: 1 },
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
    wake: (kind, which) => void told.push(`${kind} ${which}`),
    keysChanged: () => assert.fail('no API key changed'),
    loginsChanged: (serviceId) => void told.push(`login ${serviceId}`),
  }
  const caller: Caller = { key: keyOf(organizationId), ipAddress: '', userAgent: '', requestId: '' }
  for (let times = 0; times < 2; times++) await updateService(context, caller, id, { name: 'renamed' })
  assert.deepEqual(told, [`service ${id}`])
  const { user } = await createUser(context, caller, id, { name: 'reader' })
  for (let times = 0; times < 2; times++)
    await updateUser(context, caller, { serviceId: id, userId: user.id }, { role: 'readOnly' })
  assert.deepEqual(told, [`service ${id}`, `login ${id}`, `login ${id}`])
})

import type { managementOperations } from '../api/management-operations.ts'
import { getActivity, listActivities } from '../control/activities.ts'
import {
  createBackupBucket,
  deleteBackupBucket,
  getBackupBucket,
  updateBackupBucket,
} from '../control/backup-buckets.ts'
import {
  createBackup,
  getBackup,
  getBackupConfiguration,
  listBackups,
  updateBackupConfiguration,
  verifyBackup,
} from '../control/backups.ts'
import { watchChanges } from '../control/changes.ts'
import { getDemo, removeDemo, startDemo } from '../control/demo.ts'
import { organizationHistory, pipeHistory, serviceHistory } from '../control/history.ts'
import { createKey, deleteKey, getKey, listKeys, updateKey } from '../control/keys.ts'
import { organizationMetrics, serviceMetrics } from '../control/metrics.ts'
import {
  createNamedQuery,
  deleteNamedQuery,
  getNamedQuery,
  listNamedQueries,
  replaceNamedQuery,
} from '../control/named-queries.ts'
import { listOrganizationBackups, listOrganizationPipes } from '../control/organization-lists.ts'
import { getOrganization, getQuota, listQuotas, updateOrganization } from '../control/organizations.ts'
import { discoverSchema } from '../control/pipe-checks.ts'
import { listLanes, listRejected, listRejectedReasons } from '../control/pipe-records.ts'
import {
  commandPipe,
  createPipe,
  deletePipe,
  getPipe,
  getPipeSettings,
  listPipes,
  scalePipe,
  updatePipe,
  updatePipeSettings,
} from '../control/pipes.ts'
import { createService } from '../control/services/create.ts'
import { cancelRestore, deleteService } from '../control/services/delete.ts'
import { resetPassword } from '../control/services/password.ts'
import { getService, listServices } from '../control/services/read.ts'
import { commandService, scaleService, updateService } from '../control/services/update.ts'
import {
  createUser,
  deleteUser,
  getUser,
  listUsers,
  resetUserPassword,
  updateUser,
} from '../control/services/users.ts'
import { answerPage, type Handlers } from './handler.ts'
import { sessionHandlers } from './session-handlers.ts'
import { statementHandlers } from './statement-handlers.ts'

/** Each operation of the management API: one call of the control layer. */
export const managementHandlers: Handlers<keyof typeof managementOperations> = {
  'organizations.list': async (control, { caller }) => [await getOrganization(control, caller)],
  'organizations.get': (control, { caller }) => getOrganization(control, caller),
  'organizations.update': (control, { caller, body }) => updateOrganization(control, caller, body),
  'organizations.metrics': (control, { caller, query }) => organizationMetrics(control, caller, query),
  'organizations.pipes': async (control, call) =>
    answerPage(call, await listOrganizationPipes(control, call.caller, call.query)),
  'organizations.backups': async (control, call) =>
    answerPage(call, await listOrganizationBackups(control, call.caller, call.query)),
  'organizations.history': (control, { caller, query }) =>
    organizationHistory(control, caller, query.range ?? '24h'),
  'organizations.changes': async (control, call) => watchChanges(control, call),
  'quotas.list': (control, { caller }) => listQuotas(control, caller),
  'quotas.get': (control, { caller, params }) => getQuota(control, caller, params.quotaCode),
  'activities.list': async (control, call) =>
    answerPage(call, await listActivities(control, call.caller, call.query)),
  'activities.get': (control, { caller, params }) => getActivity(control, caller, params.activityId),

  'demo.get': (control, { caller }) => getDemo(control, caller),
  'demo.start': (control, { caller }) => startDemo(control, caller),
  'demo.remove': (control, { caller }) => removeDemo(control, caller),

  'keys.list': (control, { caller }) => listKeys(control, caller),
  'keys.create': (control, { caller, body }) => createKey(control, caller, body),
  'keys.get': (control, { caller, params }) => getKey(control, caller, params.keyId),
  'keys.update': (control, { caller, params, body }) => updateKey(control, caller, params.keyId, body),
  'keys.delete': (control, { caller, params }) => deleteKey(control, caller, params.keyId),
  ...sessionHandlers,

  'queries.list': (control, { caller }) => listNamedQueries(control, caller),
  'queries.create': (control, { caller, body }) => createNamedQuery(control, caller, body),
  'queries.get': (control, { caller, params }) => getNamedQuery(control, caller, params.namedQueryId),
  'queries.replace': (control, { caller, params, body }) =>
    replaceNamedQuery(control, caller, params.namedQueryId, body),
  'queries.delete': (control, { caller, params }) => deleteNamedQuery(control, caller, params.namedQueryId),

  'services.list': async (control, call) =>
    answerPage(call, await listServices(control, call.caller, call.query)),
  'services.create': (control, { caller, body }) => createService(control, caller, body),
  'services.get': (control, { caller, params }) => getService(control, caller, params.serviceId),
  'services.update': (control, { caller, params, body }) =>
    updateService(control, caller, params.serviceId, body),
  'services.delete': (control, { caller, params }) => deleteService(control, caller, params.serviceId),
  'services.updateScaling': (control, call) => {
    const { caller, params, body } = call
    call.warn(
      'minTotalMemoryGb and maxTotalMemoryGb are deprecated: they count three replicas whatever numReplicas is. Use replicaScaling.',
    )
    return scaleService(control, caller, params.serviceId, body)
  },
  'services.updateReplicaScaling': (control, { caller, params, body }) =>
    scaleService(control, caller, params.serviceId, body),
  'services.updateState': (control, { caller, params, body }) =>
    commandService(control, caller, params.serviceId, body.command),
  'services.resetPassword': (control, { caller, params, body }) =>
    resetPassword(control, caller, params.serviceId, body),
  'services.cancelRestore': (control, { caller, params }) => cancelRestore(control, caller, params.serviceId),
  ...statementHandlers,
  'services.history': (control, { caller, params, query }) =>
    serviceHistory(control, caller, params.serviceId, query.range ?? '24h'),
  'services.metrics': (control, { caller, params, query }) =>
    serviceMetrics(control, caller, params.serviceId, query),

  'serviceUsers.list': (control, { caller, params }) => listUsers(control, caller, params.serviceId),
  'serviceUsers.create': (control, { caller, params, body }) =>
    createUser(control, caller, params.serviceId, body),
  'serviceUsers.get': (control, { caller, params }) => getUser(control, caller, params),
  'serviceUsers.update': (control, { caller, params, body }) => updateUser(control, caller, params, body),
  'serviceUsers.delete': (control, { caller, params }) => deleteUser(control, caller, params),
  'serviceUsers.resetPassword': (control, { caller, params, body }) =>
    resetUserPassword(control, caller, params, body),

  'pipes.list': async (control, call) =>
    answerPage(call, await listPipes(control, call.caller, call.params.serviceId, call.query)),
  'pipes.create': (control, { caller, params, body }) => createPipe(control, caller, params.serviceId, body),
  'pipes.discoverSchema': (control, { caller, params, body }) =>
    discoverSchema(control, caller, params.serviceId, body),
  'pipes.get': (control, { caller, params }) => getPipe(control, caller, params),
  'pipes.update': (control, { caller, params, body }) => updatePipe(control, caller, params, body),
  'pipes.delete': (control, { caller, params }) => deletePipe(control, caller, params),
  'pipes.updateState': (control, { caller, params, body }) =>
    commandPipe(control, caller, params, body.command),
  'pipes.updateScaling': (control, { caller, params, body }) => scalePipe(control, caller, params, body),
  'pipes.history': (control, { caller, params, query }) =>
    pipeHistory(control, caller, params, query.range ?? '24h'),
  'pipes.lanes': async (control, call) =>
    answerPage(call, await listLanes(control, call.caller, call.params, call.query)),
  'pipes.rejectedRecords': async (control, call) =>
    answerPage(call, await listRejected(control, call.caller, call.params, call.query, call.signal)),
  'pipes.rejectedReasons': (control, { caller, params, signal }) =>
    listRejectedReasons(control, caller, params, signal),
  'pipes.getSettings': (control, { caller, params }) => getPipeSettings(control, caller, params),
  'pipes.updateSettings': (control, { caller, params, body }) =>
    updatePipeSettings(control, caller, params, body),

  'backups.list': async (control, call) =>
    answerPage(call, await listBackups(control, call.caller, call.params.serviceId, call.query)),
  'backups.create': (control, { caller, params }) => createBackup(control, caller, params.serviceId),
  'backups.get': (control, { caller, params }) =>
    getBackup(control, caller, params.serviceId, params.backupId),
  'backups.verify': (control, { caller, params }) =>
    verifyBackup(control, caller, params.serviceId, params.backupId),
  'backupConfiguration.get': (control, { caller, params }) =>
    getBackupConfiguration(control, caller, params.serviceId),
  'backupConfiguration.update': (control, { caller, params, body }) =>
    updateBackupConfiguration(control, caller, params.serviceId, body),
  'backupBucket.get': (control, { caller, params }) => getBackupBucket(control, caller, params.serviceId),
  'backupBucket.create': (control, { caller, params, body }) =>
    createBackupBucket(control, caller, params.serviceId, body),
  'backupBucket.update': (control, { caller, params, body }) =>
    updateBackupBucket(control, caller, params.serviceId, body),
  'backupBucket.delete': (control, { caller, params }) =>
    deleteBackupBucket(control, caller, params.serviceId),
}

import type { CommandDefinition, GroupDefinition } from './command.ts'
import { activitiesGet } from './commands/activities/get.ts'
import { activitiesList } from './commands/activities/list.ts'
import { backupsBucketGet } from './commands/backups/bucket/get.ts'
import { backupsBucketRemove } from './commands/backups/bucket/remove.ts'
import { backupsBucketSet } from './commands/backups/bucket/set.ts'
import { backupsConfigurationGet } from './commands/backups/configuration/get.ts'
import { backupsConfigurationUpdate } from './commands/backups/configuration/update.ts'
import { backupsCreate } from './commands/backups/create.ts'
import { backupsGet } from './commands/backups/get.ts'
import { backupsList } from './commands/backups/list.ts'
import { backupsRestore } from './commands/backups/restore.ts'
import { backupsVerify } from './commands/backups/verify.ts'
import { dashboardsCreate } from './commands/dashboards/create.ts'
import { dashboardsDelete } from './commands/dashboards/delete.ts'
import { dashboardsGet } from './commands/dashboards/get.ts'
import { dashboardsList } from './commands/dashboards/list.ts'
import { dashboardsReplace } from './commands/dashboards/replace.ts'
import { keysCreate } from './commands/keys/create.ts'
import { keysDelete } from './commands/keys/delete.ts'
import { keysGet } from './commands/keys/get.ts'
import { keysList } from './commands/keys/list.ts'
import { keysUpdate } from './commands/keys/update.ts'
import { organizationsGet } from './commands/organizations/get.ts'
import { organizationsList } from './commands/organizations/list.ts'
import { organizationsMetrics } from './commands/organizations/metrics.ts'
import { organizationsUpdate } from './commands/organizations/update.ts'
import { pipesCreate } from './commands/pipes/create.ts'
import { pipesDelete } from './commands/pipes/delete.ts'
import { pipesGet } from './commands/pipes/get.ts'
import { pipesList } from './commands/pipes/list.ts'
import { pipesResync } from './commands/pipes/resync.ts'
import { pipesScale } from './commands/pipes/scale.ts'
import { pipesSettingsGet } from './commands/pipes/settings/get.ts'
import { pipesSettingsSet } from './commands/pipes/settings/set.ts'
import { pipesStart } from './commands/pipes/start.ts'
import { pipesStop } from './commands/pipes/stop.ts'
import { pipesUpdate } from './commands/pipes/update.ts'
import { quotasGet } from './commands/quotas/get.ts'
import { quotasList } from './commands/quotas/list.ts'
import { api } from './commands/server/api.ts'
import { status } from './commands/server/status.ts'
import { version } from './commands/server/version.ts'
import { servicesCreate } from './commands/services/create.ts'
import { servicesDelete } from './commands/services/delete.ts'
import { servicesGet } from './commands/services/get.ts'
import { servicesList } from './commands/services/list.ts'
import { servicesMetrics } from './commands/services/metrics.ts'
import { servicesPassword } from './commands/services/password.ts'
import { servicesScale } from './commands/services/scale.ts'
import { servicesStart } from './commands/services/start.ts'
import { servicesStop } from './commands/services/stop.ts'
import { servicesTop } from './commands/services/top.ts'
import { servicesUpdate } from './commands/services/update.ts'
import { servicesUsersCreate } from './commands/services/users/create.ts'
import { servicesUsersDelete } from './commands/services/users/delete.ts'
import { servicesUsersGet } from './commands/services/users/get.ts'
import { servicesUsersList } from './commands/services/users/list.ts'
import { servicesUsersPassword } from './commands/services/users/password.ts'
import { servicesUsersUpdate } from './commands/services/users/update.ts'

/** Every command, in the order in which help shows them. */
export const tree: readonly (CommandDefinition | GroupDefinition)[] = [
  {
    name: 'organizations',
    summary: 'The organization that everything belongs to',
    commands: [organizationsList, organizationsGet, organizationsUpdate, organizationsMetrics],
  },
  {
    name: 'services',
    summary: 'Warehouse services',
    commands: [
      servicesList,
      servicesCreate,
      servicesGet,
      servicesUpdate,
      servicesScale,
      servicesStart,
      servicesStop,
      servicesDelete,
      servicesPassword,
      {
        name: 'users',
        summary: 'Further users of the endpoint of a service',
        commands: [
          servicesUsersList,
          servicesUsersCreate,
          servicesUsersGet,
          servicesUsersUpdate,
          servicesUsersPassword,
          servicesUsersDelete,
        ],
      },
      servicesTop,
      servicesMetrics,
    ],
  },
  {
    name: 'pipes',
    summary: 'Pipes that bring data into a service',
    commands: [
      pipesList,
      pipesCreate,
      pipesGet,
      pipesUpdate,
      pipesStart,
      pipesStop,
      pipesResync,
      pipesScale,
      {
        name: 'settings',
        summary: 'How a pipe works in detail',
        commands: [pipesSettingsGet, pipesSettingsSet],
      },
      pipesDelete,
    ],
  },
  {
    name: 'backups',
    summary: 'Backups of a service',
    commands: [
      backupsList,
      backupsCreate,
      backupsGet,
      backupsVerify,
      backupsRestore,
      {
        name: 'bucket',
        summary: 'A bucket of your own that backups go to',
        commands: [backupsBucketGet, backupsBucketSet, backupsBucketRemove],
      },
      {
        name: 'configuration',
        summary: 'When backups are made and how long they are kept',
        commands: [backupsConfigurationGet, backupsConfigurationUpdate],
      },
    ],
  },
  {
    name: 'keys',
    summary: 'Keys and tokens',
    commands: [keysList, keysCreate, keysGet, keysUpdate, keysDelete],
  },
  { name: 'quotas', summary: 'Limits of the organization', commands: [quotasList, quotasGet] },
  { name: 'activities', summary: 'The audit trail', commands: [activitiesList, activitiesGet] },
  {
    name: 'dashboards',
    summary: 'Dashboards',
    commands: [dashboardsList, dashboardsCreate, dashboardsGet, dashboardsReplace, dashboardsDelete],
  },
  api,
  status,
  version,
]

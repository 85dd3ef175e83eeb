import type { CommandDefinition, GroupDefinition } from './command.ts'
import { activities } from './commands/activities.ts'
import { alerts } from './commands/alerts.ts'
import { backups } from './commands/backups.ts'
import { charts } from './commands/charts.ts'
import { completionGroup } from './commands/completion.ts'
import { dashboards } from './commands/dashboards.ts'
import { demo } from './commands/demo.ts'
import { keys } from './commands/keys.ts'
import { logs } from './commands/logs.ts'
import { namedQueries } from './commands/named-queries.ts'
import { organizations } from './commands/organizations.ts'
import { pipes } from './commands/pipes.ts'
import { query } from './commands/query.ts'
import { quotas } from './commands/quotas.ts'
import { api, status, version } from './commands/server.ts'
import { services } from './commands/services.ts'
import { sessions, whoami } from './commands/sessions.ts'
import { sources } from './commands/sources.ts'

const commands: readonly (CommandDefinition | GroupDefinition)[] = [
  organizations,
  services,
  query,
  namedQueries,
  pipes,
  backups,
  keys,
  sessions,
  quotas,
  activities,
  dashboards,
  sources,
  alerts,
  charts,
  demo,
  logs,
  api,
  whoami,
  status,
  version,
]

/** Every command, in the order in which help shows them. */
export const tree: readonly (CommandDefinition | GroupDefinition)[] = [...commands, completionGroup(commands)]

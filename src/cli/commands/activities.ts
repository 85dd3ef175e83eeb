import { Option } from 'commander'
import type { CommandDefinition, GroupDefinition } from '../command.ts'
import { commandOf } from '../operation-command.ts'
import { limitOption } from '../options.ts'
import { listAll } from '../paging.ts'
import { activitiesTable, activityBlock } from '../show/organization.ts'

interface ListFlags {
  from?: string
  to?: string
  limit?: number
  all?: true
}

/** The audit trail only grows, so by default only its newest entries are shown. */
const defaultLimit = 50

const list: CommandDefinition = {
  name: 'list',
  summary: 'List what was changed, newest first',
  options: [
    new Option('--from <time>', 'not before: an ISO 8601 date or time'),
    new Option('--to <time>', 'not after: an ISO 8601 date or time'),
    new Option('--limit <n>', `at most so many; default: ${defaultLimit}`).argParser(
      limitOption.parseArg ?? Number,
    ),
    new Option('--all', 'without a limit').conflicts('limit'),
  ],
  examples: ['granary activities list', 'granary activities list --from 2030-01-01 --all --json'],
  async run(session, _: object, { from, to, limit = defaultLimit, all }: ListFlags) {
    const query = { ...(from ? { from_date: from } : {}), ...(to ? { to_date: to } : {}) }
    // Reads one entry more than is shown, to know whether there are more.
    const found = await listAll(session, 'activities.list', { query }, all ? undefined : limit + 1)
    const shown = all ? found : found.slice(0, limit)
    session.output.result(shown, (form) => activitiesTable(form, shown))
    if (shown.length < found.length) session.output.progress('there is more: use --limit or --all')
  },
}

const get = commandOf('activities.get', {
  summary: 'Show one change: who, from where, before and after',
  examples: ['granary activities get <activity id>'],
  show: activityBlock,
})

export const activities: GroupDefinition = {
  name: 'activities',
  summary: 'The audit trail',
  commands: [list, get],
}

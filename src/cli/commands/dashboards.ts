import { Option } from 'commander'
import { type ImportFormat, importFormats } from '../../domain/dashboard/types.ts'
import type { GroupDefinition } from '../command.ts'
import { requireBody } from '../input.ts'
import { commandOf } from '../operation-command.ts'
import { defined, fileOption } from '../options.ts'
import { rowsTable } from '../show/chart.ts'
import { checkBlock, dashboardBlock, dashboardsTable, importBlock, versionsTable } from '../show/dashboard.ts'

const list = commandOf('dashboards.list', {
  summary: 'List dashboards by name',
  examples: ['granary dashboards list'],
  show: dashboardsTable,
})

const create = commandOf('dashboards.create', {
  summary: 'Create a dashboard from its description in JSON',
  details: 'The description has name, tiles and tags, as the API takes it.',
  options: [fileOption('the description of the dashboard')],
  examples: [
    'granary dashboards create --file traffic.json',
    'echo \'{"name":"Traffic"}\' | granary dashboards create --file -',
  ],
  body: requireBody<'dashboards.create'>,
  show: dashboardBlock,
})

const get = commandOf('dashboards.get', {
  summary: 'Show a dashboard',
  examples: ['granary dashboards get Traffic', 'granary dashboards get Traffic --json > traffic.json'],
  show: dashboardBlock,
})

const replace = commandOf('dashboards.replace', {
  summary: 'Replace a dashboard as a whole',
  details: 'What "dashboards get --json" prints can be sent back. Tiles that are left out are removed.',
  options: [fileOption('the whole dashboard, in JSON')],
  examples: ['granary dashboards replace Traffic --file traffic.json'],
  body: requireBody<'dashboards.replace'>,
  show: dashboardBlock,
})

const remove = commandOf('dashboards.delete', {
  summary: 'Delete a dashboard',
  examples: ['granary dashboards delete Traffic', 'granary dashboards delete Traffic --yes'],
  question: ({ dashboard }) => `Delete dashboard ${dashboard}?`,
  show: (_form, _result, { operands }) => `dashboard ${operands['dashboard']} is deleted`,
})

const validate = commandOf('dashboards.validate', {
  summary: 'Check the description of a dashboard without storing it',
  details: 'Tells what a creation would refuse, and what will be wrong when the tiles are asked.',
  options: [fileOption('the description of the dashboard')],
  examples: ['granary dashboards validate --file traffic.json'],
  body: requireBody<'dashboards.validate'>,
  show: checkBlock,
})

interface ImportFlags {
  file?: string
  format: ImportFormat
  source?: string
  dryRun?: true
}

const importOne = commandOf('dashboards.import', {
  summary: 'Import a dashboard of Grafana, or one that was exported here',
  details: 'Tells what is not carried over. Panels on ClickHouse become tiles of SQL.',
  options: [
    fileOption('the dashboard, in JSON'),
    new Option('--format <format>', 'where it comes from').choices(importFormats).default('grafana'),
    new Option('--source <source>', 'name or id of the source that its SQL runs on; default: events'),
    new Option('--dry-run', 'store nothing, only tell'),
  ],
  examples: [
    'granary dashboards import --file grafana.json --source "shop logs" --dry-run',
    'granary dashboards import --format granary --file traffic.json',
  ],
  async body(flags: ImportFlags, session) {
    const { format, source: dataSource, dryRun } = flags
    const dashboard: Record<string, unknown> = await requireBody<'dashboards.replace'>(flags, session)
    return { format, dashboard, ...defined({ dataSource, dryRun }) }
  },
  show: importBlock,
})

const listVersions = commandOf('dashboards.listVersions', {
  name: 'list',
  summary: 'List the last 50 versions of a dashboard, newest first',
  examples: ['granary dashboards versions list Traffic'],
  show: versionsTable,
})

const getVersion = commandOf('dashboards.getVersion', {
  name: 'get',
  summary: 'Show a dashboard as it was',
  examples: ['granary dashboards versions get Traffic 3'],
  show: (form, { dashboard }) => dashboardBlock(form, dashboard),
})

const restoreVersion = commandOf('dashboards.restoreVersion', {
  name: 'restore',
  summary: 'Make an earlier version the newest one',
  examples: ['granary dashboards versions restore Traffic 3'],
  show: dashboardBlock,
})

interface RangeFlags {
  from?: string
  to?: string
  refresh?: true
}

const timeOption = (flag: string, what: string) => new Option(`${flag} <time>`, what)
const rangeOptions = [
  timeOption('--from', 'beginning of the range, ISO 8601; default: that of the dashboard'),
  timeOption('--to', 'end of the range'),
]

function rangeBody({ from, to, refresh }: RangeFlags) {
  const ms = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text))
  return defined({ startTime: ms(from), endTime: ms(to), refresh })
}

const query = commandOf('dashboards.queryTile', {
  name: 'query',
  summary: 'Ask for the data of a tile',
  options: [...rangeOptions, new Option('--refresh', 'take nothing from the cache')],
  examples: ['granary dashboards query Traffic Errors', 'granary dashboards query Traffic Errors --json'],
  body: rangeBody,
  show: rowsTable,
})

const values = commandOf('dashboards.listVariableValues', {
  name: 'values',
  summary: 'List the values of a variable',
  options: rangeOptions,
  examples: ['granary dashboards values Traffic service'],
  body: rangeBody,
  show: (_form, found) => found.join('\n'),
})

const versions: GroupDefinition = {
  name: 'versions',
  summary: 'What a dashboard was before',
  commands: [listVersions, getVersion, restoreVersion],
}

export const dashboards: GroupDefinition = {
  name: 'dashboards',
  summary: 'Dashboards',
  commands: [list, create, get, replace, remove, validate, importOne, query, values, versions],
}

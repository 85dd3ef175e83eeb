import type { GroupDefinition } from '../command.ts'
import { requireBody } from '../input.ts'
import { commandOf } from '../operation-command.ts'
import { fileOption } from '../options.ts'
import { checkBlock, dashboardBlock, dashboardsTable, versionsTable } from '../show/dashboard.ts'

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

const versions: GroupDefinition = {
  name: 'versions',
  summary: 'What a dashboard was before',
  commands: [listVersions, getVersion, restoreVersion],
}

export const dashboards: GroupDefinition = {
  name: 'dashboards',
  summary: 'Dashboards',
  commands: [list, create, get, replace, remove, validate, versions],
}

import type { GroupDefinition } from '../command.ts'
import { requireBody } from '../input.ts'
import { commandOf } from '../operation-command.ts'
import { fileOption, limitOption } from '../options.ts'
import { alertBlock, alertsTable, historyTable } from '../show/alert.ts'

const list = commandOf('alerts.list', {
  summary: 'List alerts, oldest first',
  examples: ['granary alerts list'],
  show: alertsTable,
})

const create = commandOf('alerts.create', {
  summary: 'Create an alert from its description in JSON',
  details: 'Without a secret in its channel one is made, and shown this once.',
  options: [fileOption('the description of the alert')],
  examples: ['granary alerts create --file errors.json'],
  body: requireBody<'alerts.create'>,
  show: alertBlock,
})

const get = commandOf('alerts.get', {
  summary: 'Show an alert',
  examples: ['granary alerts get Errors'],
  show: alertBlock,
})

const replace = commandOf('alerts.replace', {
  summary: 'Replace an alert as a whole',
  details: 'What "alerts get --json" prints can be sent back. Without a secret the alert keeps its own.',
  options: [fileOption('the whole alert, in JSON')],
  examples: ['granary alerts replace Errors --file errors.json'],
  body: requireBody<'alerts.replace'>,
  show: alertBlock,
})

const remove = commandOf('alerts.delete', {
  summary: 'Delete an alert',
  examples: ['granary alerts delete Errors'],
  question: ({ alert }) => `Delete alert ${alert}?`,
  show: (_form, _result, { operands }) => `alert ${operands['alert']} is deleted`,
})

const history = commandOf('alerts.history', {
  summary: 'List the evaluations of an alert, newest first',
  options: [limitOption],
  examples: ['granary alerts history Errors --limit 10'],
  query: ({ limit }: { limit?: number }) => (limit === undefined ? {} : { limit }),
  show: historyTable,
})

export const alerts: GroupDefinition = {
  name: 'alerts',
  summary: 'Alerts on the numbers of tiles',
  commands: [list, create, get, replace, remove, history],
}

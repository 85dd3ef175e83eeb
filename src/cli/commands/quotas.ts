import type { GroupDefinition } from '../command.ts'
import { commandOf } from '../operation-command.ts'
import { quotaBlock, quotasTable } from '../show/organization.ts'

const list = commandOf('quotas.list', {
  summary: 'List quotas with their use',
  examples: ['granary quotas list'],
  show: quotasTable,
})

const get = commandOf('quotas.get', {
  summary: 'Show a quota',
  examples: ['granary quotas get services-per-organization'],
  show: quotaBlock,
})

export const quotas: GroupDefinition = {
  name: 'quotas',
  summary: 'Limits of the organization',
  commands: [list, get],
}

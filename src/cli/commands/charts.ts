import { Option } from 'commander'
import { type WhereLanguage, whereLanguages } from '../../domain/dashboard/types.ts'
import type { GroupDefinition } from '../command.ts'
import { requireBody } from '../input.ts'
import { commandOf } from '../operation-command.ts'
import { defined, fileOption } from '../options.ts'
import { checkedWhere, rowsTable } from '../show/chart.ts'

const query = commandOf('charts.series', {
  name: 'query',
  summary: 'Ask for data by series in JSON',
  details: 'The question has series, startTime and endTime, as the API takes it.',
  options: [fileOption('the question')],
  examples: ['granary charts query --file errors.json'],
  body: requireBody<'charts.series'>,
  show: rowsTable,
})

interface WhereFlags {
  source?: string
  language?: WhereLanguage
}

const where = commandOf('charts.where', {
  summary: 'Check a filter, and say it in English',
  moreOperands: [['<filter>', 'the filter']],
  options: [
    new Option('--source <source>', 'name or id of the source; default: events'),
    new Option('--language <language>', 'default: lucene').choices(whereLanguages),
  ],
  examples: ["granary charts where 'level:error -status:>=500'"],
  body: ({ source: dataSource, language: whereLanguage }: WhereFlags, _session, { filter = '' }) => ({
    ...{ where: filter, ...defined({ dataSource, whereLanguage }) },
  }),
  show: checkedWhere,
})

export const charts: GroupDefinition = {
  name: 'charts',
  summary: 'Data behind dashboards',
  commands: [query, where],
}

import { counted, listed } from '../../lib/words.ts'
import { filledRows } from './rows.ts'
import type { Step, Wizard } from './wizard-state.ts'

const places = {
  kafka: 'source.kafka.topics',
  objectStorage: 'source.objectStorage.url',
  kinesis: 'source.kinesis.streamName',
  postgres: 'source.postgres.database',
}
const purposes: Record<Step, string> = {
  source: 'where the records are',
  sample: 'what is in them',
  table: 'where they go',
  run: 'how fast, how careful',
}

/** What was chosen in a step; what it is for while nothing was. */
export function summaryOf({ kind, get, schema, columns, tables, ...wizard }: Wizard, step: Step): string {
  const text = (path: string) => String(get.value(path) ?? '')
  const said = {
    source: () => text(places[kind]) || text('source.objectStorage.path'),
    sample: () => (schema.value ? counted(schema.value.fields.length, 'field') : ''),
    table: () => {
      if (kind === 'postgres') return listed(tables.value.map((row) => row.sourceTable).filter(Boolean))
      const table = text('destination.table')
      const count = filledRows(columns.value).length
      return table && `${table}, ${counted(count, 'column')}, ${wizard.isNewTable.value ? 'new' : 'existing'}`
    },
    run: () => text('name'),
  }[step]()
  return said || purposes[step]
}

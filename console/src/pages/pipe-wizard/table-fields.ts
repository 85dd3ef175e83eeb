import type { BodyOf } from '../../../../src/api/operations.ts'
import { type FieldGroup, type FieldSpec, type Get, optionsOf } from './fields.ts'
import { namesOf } from './rows.ts'

type Definition = NonNullable<BodyOf<'pipes.create'>['destination']['tableDefinition']>
type Engine = NonNullable<NonNullable<Definition['engine']>['type']>

const at = (name: string): string => `destination.tableDefinition.${name}`
const isEngine =
  (...engines: Engine[]) =>
  (get: Get) =>
    engines.includes(get(at('engine.type')) as Engine)

export const databaseField: FieldSpec = {
  ...{ path: 'destination.database', label: 'Database', control: 'text', placeholder: 'default' },
}
export const tableField: FieldSpec = {
  ...{ path: 'destination.table', label: 'Table', control: 'text', placeholder: 'orders' },
}

/** How a new table is made; the sorting key is chosen among the columns. */
export const definitionGroup: FieldGroup = {
  title: 'How the table is made',
  fields: [
    {
      ...{ path: at('engine.type'), label: 'Engine', control: 'choice' },
      options: optionsOf<Engine>({
        MergeTree: 'MergeTree: keeps every row',
        ReplacingMergeTree: 'ReplacingMergeTree: the newest row of a key',
        SummingMergeTree: 'SummingMergeTree: adds rows of a key up',
        Null: 'Null: keeps nothing, feeds views',
      }),
    },
    {
      ...{ path: at('engine.versionColumnId'), label: 'Column of the version', control: 'text' },
      ...{ hint: 'Its highest value wins.', when: isEngine('ReplacingMergeTree') },
    },
    {
      ...{ path: at('engine.columnIds'), label: 'Columns to add up', control: 'text' },
      ...{ hint: 'Separated by commas.', when: isEngine('SummingMergeTree') },
      toSent: (value) => namesOf(String(value)),
    },
    {
      ...{ path: at('partitionBy'), label: 'Partition by', control: 'text', isOptional: true },
      ...{ placeholder: 'toYYYYMM(at)', when: (get: Get) => !isEngine('Null')(get) },
    },
    {
      ...{ path: at('primaryKey'), label: 'Primary key', control: 'text', isOptional: true },
      ...{ placeholder: 'the sorting key', when: (get: Get) => !isEngine('Null')(get) },
    },
  ],
}

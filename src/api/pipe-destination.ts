import { destinationEngines, listLength, textLength } from '../domain/pipe/limits.ts'
import { optionals, word } from './pipe-fields.ts'
import { closed, flag, list, oneOf, optional, text } from './schema.ts'

const name = (description: string) => text(description, { minLength: 1, maxLength: textLength.identifier })
const names = (description: string) => list(name('A column.'), description, { maxItems: listLength.columns })
const expression = (description: string) => text(description, { maxLength: textLength.expression })

const engine = {
  type: oneOf(destinationEngines, 'Default: by the two fields below, else MergeTree.'),
  versionColumnId: word('For ReplacingMergeTree: the column whose highest value wins.'),
  columnIds: names('For SummingMergeTree: the columns to add up.'),
}
const definition = {
  sortingKey: names('Columns by which the table is sorted.'),
  partitionBy: expression('Partition expression.'),
  primaryKey: expression('Primary key expression, if it is not the sorting key.'),
}
const column = closed({
  name: name('Name of the column.'),
  type: text('Its type, as the warehouse writes it.', { minLength: 1, maxLength: textLength.expression }),
})
const destination = {
  database: word('Default `default`.'),
  table: word('The table to write. Postgres sources name theirs in tableMappings.'),
  managedTable: flag('The pipe makes the table; false: the table exists. Default true.'),
  columns: list(column, 'The columns that the pipe fills; each must appear in fieldMappings.', {
    maxItems: listLength.columns,
  }),
}

export const PipeDestinationBody = closed(
  {
    ...optionals(destination),
    tableDefinition: optional(
      closed(
        { engine: optional(closed(optionals(engine))), ...optionals(definition) },
        { description: 'How the managed table is made. Default MergeTree without a sorting key.' },
      ),
    ),
    roles: optional(
      list(name('A role.'), 'Roles of the user that the pipe writes as. Never answered.', {
        maxItems: listLength.roles,
      }),
    ),
  },
  { description: 'Where the data goes. After creation only the columns can change.' },
)

/** Without `roles`: requests carry them, answers never do. */
export const PipeDestination = closed({
  ...destination,
  tableDefinition: closed({ engine: closed(engine), ...definition }),
})

const fieldMapping = closed({
  sourceField: name('The field of the record.'),
  destinationField: name('The column that it fills.'),
})

export const FieldMappings = list(
  fieldMapping,
  'Which field fills which column. All destination columns must appear, each once.',
  { maxItems: listLength.columns },
)

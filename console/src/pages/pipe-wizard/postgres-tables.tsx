import { Button } from '../../kit/button.tsx'
import { SelectField } from '../../kit/select-field.tsx'
import { TextField } from '../../kit/text-field.tsx'
import { raised } from '../../lib/words.ts'
import { newTable, type TableRow } from './rows.ts'
import type { Wizard } from './wizard-state.ts'

const engines = [
  { value: 'ReplacingMergeTree', name: 'ReplacingMergeTree: the newest row of a key' },
  { value: 'MergeTree', name: 'MergeTree: every version of a row' },
  { value: 'Null', name: 'Null: keeps nothing, feeds views' },
] as const

/** Which tables are copied, and how each is made here. */
export function PostgresTables({ wizard }: { wizard: Wizard }) {
  const rows = wizard.tables.value
  const change = (next: readonly TableRow[]) => {
    wizard.tables.value = next
    wizard.forget('source.postgres.tableMappings')
  }
  return (
    <>
      {rows.map((row, i) => (
        <TableFields
          key={row.key}
          wizard={wizard}
          row={row}
          i={i}
          onChange={(next) => change(rows.map((one) => (one === row ? next : one)))}
          onRemove={rows.length > 1 ? () => change(rows.filter((one) => one !== row)) : null}
        />
      ))}
      <div class="actions">
        <Button size="small" icon="plus" onPress={() => change([...rows, newTable()])}>
          Add a table
        </Button>
      </div>
    </>
  )
}

interface TableFieldsProps {
  wizard: Wizard
  row: TableRow
  i: number
  onChange: (row: TableRow) => void
  onRemove: (() => void) | null
}

function TableFields({ wizard, row, i, onChange, onRemove }: TableFieldsProps) {
  const field = <Name extends Exclude<keyof TableRow, 'key'>>(name: Name) => {
    const path = `source.postgres.tableMappings[${i}].${name}`
    const said = wizard.errors.value[path]
    return {
      ...{ name: path, value: row[name], error: said === undefined ? undefined : raised(said) },
      onChange: (value: TableRow[Name]) => onChange({ ...row, [name]: value }),
    }
  }
  const optional = { isOptional: true }
  const title = row.sourceTable || `Table ${i + 1}`
  return (
    <fieldset class="wizard-group">
      <legend>{title}</legend>
      <div class="wizard-fields">
        <TextField label="Schema" {...field('sourceSchemaName')} />
        <TextField label="Source table" placeholder="orders" {...field('sourceTable')} />
        <TextField label="Table here" placeholder={row.sourceTable || 'orders'} {...field('targetTable')} />
        <SelectField label="Engine" options={engines} {...field('tableEngine')} />
        <TextField
          label="Columns to leave out"
          hint="Separated by commas."
          {...optional}
          {...field('excludedColumns')}
        />
        <TextField label="Sort by" placeholder="the primary key" {...optional} {...field('sortingKeys')} />
        <TextField
          label="Split the first load by"
          placeholder="physical position"
          {...optional}
          {...field('partitionKey')}
        />
        <TextField
          label="Partition by"
          placeholder="toYYYYMM(at)"
          {...optional}
          {...field('partitionByExpr')}
        />
      </div>
      {onRemove && (
        <div class="actions">
          <Button size="small" tone="quiet" icon="x" onPress={onRemove}>
            Leave out {title}
          </Button>
        </div>
      )}
    </fieldset>
  )
}

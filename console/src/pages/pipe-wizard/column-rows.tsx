import { useId } from 'preact/hooks'
import { Button } from '../../kit/button.tsx'
import { FieldNote } from '../../kit/field.tsx'
import { raised } from '../../lib/words.ts'
import { type ColumnRow, filledRows, newColumn } from './rows.ts'
import type { Wizard } from './wizard-state.ts'

const types = [
  ...['String', 'LowCardinality(String)', 'UInt8', 'UInt16', 'UInt32', 'UInt64', 'Int32', 'Int64', 'Float64'],
  ...['Decimal(18, 2)', 'Bool', 'Date', 'DateTime', 'DateTime64(3)', 'UUID', 'IPv4', 'JSON', 'Array(String)'],
  ...['Map(String, String)', 'Nullable(String)', 'Nullable(Int64)'],
]

/** Which field fills which column, and by which columns a new table is sorted. */
export function ColumnRows({ wizard }: { wizard: Wizard }) {
  const id = useId()
  const rows = wizard.columns.value
  const fields = wizard.schema.value?.fields ?? []
  const said = wizard.errors.value['destination.columns']
  const sortingSaid = wizard.errors.value['destination.tableDefinition.sortingKey']
  const change = (next: readonly ColumnRow[]) => {
    wizard.columns.value = next
    wizard.forget('destination.columns')
    wizard.forget('fieldMappings')
  }
  const names = wizard.sortingNames()
  return (
    <fieldset class="wizard-group" aria-describedby={said === undefined ? undefined : `${id}-said`}>
      <legend>Columns</legend>
      <p class="field-hint">
        {wizard.isNewTable.value
          ? `Sorted by ${names.length === 0 ? 'nothing: choose the columns that queries filter by' : names.join(', ')}.`
          : 'Which field fills each column of the table.'}
      </p>
      <ul class="wizard-rows" aria-label="Columns">
        {rows.length > 0 && (
          <li class="wizard-row wizard-row-head" aria-hidden="true">
            <span>Field of the record</span>
            <span>Column</span>
            <span>Type</span>
            <span>In the sample</span>
          </li>
        )}
        {rows.map((row) => (
          <Row key={row.key} wizard={wizard} row={row} listId={id} onChange={change} />
        ))}
      </ul>
      {said !== undefined && <FieldNote id={`${id}-said`} error={raised(said)} />}
      {sortingSaid !== undefined && <FieldNote id={`${id}-sorting`} error={`Sorting key: ${sortingSaid}`} />}
      {wizard.isNewTable.value && (
        <div class="actions">
          <Button size="small" icon="plus" onPress={() => change([...rows, newColumn()])}>
            Add a column
          </Button>
        </div>
      )}
      <datalist id={`${id}-fields`}>
        {fields.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <datalist id={`${id}-types`}>
        {types.map((type) => (
          <option key={type} value={type} />
        ))}
      </datalist>
    </fieldset>
  )
}

interface RowProps {
  wizard: Wizard
  row: ColumnRow
  listId: string
  onChange: (rows: readonly ColumnRow[]) => void
}

function Row({ wizard, row, listId, onChange }: RowProps) {
  const noteId = useId()
  const rows = wizard.columns.value
  const place = filledRows(rows).indexOf(row)
  const column = rows.indexOf(row) + 1
  const errors = wizard.errors.value
  const isNew = wizard.isNewTable.value
  const at = (path: string) => (place < 0 ? undefined : errors[path.replace('#', String(place))])
  const wrong = {
    sourceField: at('fieldMappings[#].sourceField'),
    name: at('destination.columns[#].name') ?? at('fieldMappings[#].destinationField'),
    type: at('destination.columns[#].type'),
  }
  const said = Object.values(wrong).filter((message) => message !== undefined)
  const set = (change: Partial<ColumnRow>) =>
    onChange(rows.map((one) => (one === row ? { ...one, ...change } : one)))
  const cell = (name: 'sourceField' | 'name' | 'type', label: string, list?: string) => (
    <input
      class="input input-mono input-small"
      aria-label={`${label} ${column}`}
      aria-invalid={wrong[name] === undefined ? undefined : true}
      aria-describedby={wrong[name] === undefined ? undefined : noteId}
      list={list === undefined ? undefined : `${listId}-${list}`}
      value={row[name]}
      spellcheck={false}
      autocomplete="off"
      disabled={!row.isFilled && name === 'sourceField'}
      onInput={(event) => set({ [name]: event.currentTarget.value })}
    />
  )
  const order = wizard.sorting.value.indexOf(row.key)
  const toggle = () => {
    const { value: sorting } = wizard.sorting
    wizard.sorting.value = order < 0 ? [...sorting, row.key] : sorting.filter((key) => key !== row.key)
    wizard.forget('destination.tableDefinition.sortingKey')
  }
  return (
    <li class="wizard-row">
      {cell('sourceField', 'Field for column', 'fields')}
      {isNew ? cell('name', 'Name of column') : <code class="wizard-fixed">{row.name}</code>}
      {isNew ? cell('type', 'Type of column', 'types') : <code class="wizard-fixed muted">{row.type}</code>}
      <span class="wizard-example" title={exampleOf(wizard, row)}>
        {exampleOf(wizard, row)}
      </span>
      <span class="wizard-row-tools">
        {isNew ? (
          <>
            <Button
              size="small"
              tone="quiet"
              isPressed={order >= 0}
              label={`Sort by ${row.name || `column ${column}`}`}
              class={order >= 0 ? 'wizard-key wizard-key-on' : 'wizard-key'}
              onPress={toggle}
            >
              {order >= 0 ? `◆ ${order + 1}` : '◇'}
            </Button>
            <Button
              size="small"
              tone="quiet"
              icon="x"
              label={`Leave out ${row.name || `column ${column}`}`}
              onPress={() => onChange(rows.filter((one) => one !== row))}
            />
          </>
        ) : (
          <label class="check">
            <input
              type="checkbox"
              checked={row.isFilled}
              aria-label={`Fill ${row.name}`}
              onChange={(event) => set({ isFilled: event.currentTarget.checked })}
            />
            fill
          </label>
        )}
      </span>
      {said.length > 0 && (
        <div class="wizard-wide">
          <FieldNote id={noteId} error={said.map(raised).join(' ')} />
        </div>
      )}
    </li>
  )
}

/** The first value of the field in the sample that says something. */
function exampleOf({ schema }: Wizard, { sourceField }: ColumnRow): string {
  const { fields = [], records = [] } = schema.value ?? {}
  const at = fields.findIndex(({ name }) => name === sourceField)
  if (at < 0) return ''
  return records.map((record) => record[at] ?? '').find((value) => value !== '') ?? ''
}

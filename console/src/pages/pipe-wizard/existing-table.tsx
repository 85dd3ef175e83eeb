import { ErrorBox } from '../../kit/error-box.tsx'
import { SelectField } from '../../kit/select-field.tsx'
import { Skeleton } from '../../kit/skeleton.tsx'
import { useSchema } from '../sql/use-schema.ts'
import { columnsOfTable } from './rows.ts'
import { databaseField, tableField } from './table-fields.ts'
import type { Wizard } from './wizard-state.ts'

/** A table of the service: its columns become those that the pipe fills. */
export function ExistingTable({ wizard, serviceId }: { wizard: Wizard; serviceId: string }) {
  const { schema, error, reload } = useSchema(serviceId, true)
  if (!schema) return error ? <ErrorBox error={error} retry={reload} /> : <Skeleton rows={2} />
  const tables = schema.databases
    .filter(({ name }) => name !== 'system')
    .flatMap((database) =>
      database.tables
        .filter(({ isView }) => !isView)
        .map((table) => ({ value: JSON.stringify([database.name, table.name]), database, table })),
    )
  const { value: values } = wizard.values
  const chosen = JSON.stringify([values[databaseField.path] || 'default', values[tableField.path] ?? ''])
  const choose = (value: string) => {
    const found = tables.find((one) => one.value === value)
    if (!found) return
    wizard.set(databaseField.path, found.database.name)
    wizard.set(tableField.path, found.table.name)
    wizard.columns.value = columnsOfTable(found.table.columns, wizard.schema.value?.fields ?? [])
    wizard.sorting.value = []
    wizard.forget('destination')
    wizard.forget('fieldMappings')
  }
  const isKnown = tables.some(({ value }) => value === chosen)
  return (
    <div class="wizard-fields">
      <SelectField
        label="Table"
        name={tableField.path}
        value={isKnown ? chosen : ''}
        error={wizard.errors.value[tableField.path]}
        hint={
          tables.length === 0
            ? 'The service has no table yet.'
            : 'Columns that no field fills keep their default.'
        }
        options={[
          ...(isKnown ? [] : [{ value: '', name: 'Choose a table' }]),
          ...tables.map(({ value, database, table }) => ({ value, name: `${database.name}.${table.name}` })),
        ]}
        onChange={choose}
      />
    </div>
  )
}

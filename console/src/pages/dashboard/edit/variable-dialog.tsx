import { useResource } from '../../../api/resource.ts'
import { Button } from '../../../kit/button.tsx'
import { CheckField } from '../../../kit/check-field.tsx'
import { Dialog } from '../../../kit/dialog.tsx'
import { Form, useForm } from '../../../kit/form.tsx'
import { SelectField } from '../../../kit/select-field.tsx'
import { TextArea, TextField } from '../../../kit/text-field.tsx'
import type { Variable } from '../dashboard-types.ts'
import { emptyFields, fieldsOf, variableOf } from './variable-fields.ts'

/** One variable of the draft; it is part of the dashboard when the dashboard is saved. */
export function VariableDialog(props: {
  variable: Variable | null
  taken: readonly string[]
  onTake: (variable: Variable) => void
  onClose: () => void
}) {
  const { variable, taken, onTake, onClose } = props
  const sources = useResource('sources.list', {}, { pace: 'still' })
  const form = useForm(variable ? fieldsOf(variable) : emptyFields, {
    checks: {
      name: (name) =>
        !/^[A-Za-z]\w{0,63}$/.test(name)
          ? 'A letter first, then letters, digits and _; at most 64 in all.'
          : taken.includes(name)
            ? 'Another variable has this name.'
            : null,
      values: (values, { kind }) => (kind === 'list' && values.trim() === '' ? 'At least one value.' : null),
      sql: (sql, { kind }) => (kind === 'query' && sql.trim() === '' ? 'One SELECT.' : null),
    },
  })
  const { kind, multi, dataSource } = form.values.value
  const known = [...new Set(['events', ...(sources.data.value ?? []).map(({ name }) => name), dataSource])]
  const title = variable ? `Variable ${variable.name}` : 'New variable'
  return (
    <Dialog title={title} onClose={onClose}>
      <Form form={form} label={title} onSubmit={async (fields) => onTake(variableOf(fields))}>
        <TextField label="Name" hint="Filters and SQL use it as $name." isMono {...form.field('name')} />
        <TextField label="Label" hint="What readers see; the name when empty." {...form.field('label')} />
        <SelectField
          label="Values"
          options={[
            { value: 'list', name: 'from a list' },
            { value: 'query', name: 'from a query' },
            { value: 'text', name: 'typed in by readers' },
          ]}
          {...form.field('kind')}
        />
        {kind === 'list' && (
          <TextArea label="List" hint="One value per line." rows={5} {...form.field('values')} />
        )}
        {kind === 'query' && (
          <>
            <TextArea
              label="SQL"
              hint="One SELECT; its first column gives the values."
              rows={4}
              isMono
              {...form.field('sql')}
            />
            <SelectField
              label="Source"
              hint="Whose service runs it."
              options={known.map((value) => ({ value, name: value }))}
              {...form.field('dataSource')}
            />
          </>
        )}
        <CheckField label="Several values at once" {...form.field('multi')} />
        {multi ? (
          <TextArea
            label="Chosen at first"
            hint="One value per line; every value when empty."
            rows={2}
            {...form.field('default')}
          />
        ) : (
          <TextField label="Chosen at first" hint="Every value when empty." {...form.field('default')} />
        )}
        <div class="actions actions-end">
          <Button onPress={onClose}>Discard</Button>
          <Button submit tone="primary">
            {variable ? 'Change' : 'Add'}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

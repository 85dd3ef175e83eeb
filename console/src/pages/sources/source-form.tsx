import { call } from '../../api/call.ts'
import { useResource } from '../../api/resource.ts'
import { Button } from '../../kit/button.tsx'
import { CheckField } from '../../kit/check-field.tsx'
import type { FieldState } from '../../kit/field.tsx'
import { Form, useFollowing, useForm } from '../../kit/form.tsx'
import { SelectField } from '../../kit/select-field.tsx'
import { TextField } from '../../kit/text-field.tsx'
import { useSchema } from '../sql/use-schema.ts'
import { Aliases } from './aliases.tsx'
import { refreshSources, type Source } from './source-commands.ts'
import './sources.css'

interface Values {
  name: string
  kind: Source['kind']
  serviceId: string
  database: string
  table: string
  timestampColumn: string
  implicitColumn: string
  aliases: [name: string, column: string][]
  isDefault: boolean
  temporality: 'cumulative' | 'delta'
  labels: string
}

const firstValues = (source: Source | null, serviceId: string): Values => ({
  name: source?.name ?? '',
  kind: source?.kind ?? 'events',
  serviceId: source?.serviceId ?? serviceId,
  database: source?.database ?? 'default',
  table: source?.table ?? '',
  timestampColumn: source?.timestampColumn ?? '',
  implicitColumn: source?.implicitColumn ?? '',
  aliases: Object.entries(source?.aliases ?? {}),
  isDefault: source?.isDefault ?? false,
  temporality: source?.metric?.temporality ?? 'cumulative',
  labels: source?.metric?.labels.join(', ') ?? '',
})

/** Where events or metrics lie and how they are read; what is left empty is read from the table. */
export function SourceForm(props: { source: Source | null; onSaved: (saved: Source) => void }) {
  const { source, onSaved } = props
  const services = useResource('services.list').data.value ?? []
  const form = useForm<Values>(firstValues(source, services[0]?.id ?? ''), {
    serverNames: { labels: 'metric.labels', temporality: 'metric.temporality' },
    checks: { table: (value) => (value === '' ? 'A table is needed.' : null) },
  })
  useFollowing(form, firstValues(source, services[0]?.id ?? ''))
  const values = form.values.value
  const service = services.find(({ id }) => id === values.serviceId)
  const { schema } = useSchema(values.serviceId, service?.state === 'running')
  const tables = schema?.databases.find(({ name }) => name === values.database)?.tables
  const columns = tables?.find(({ name }) => name === values.table)?.columns.map(({ name }) => name)
  const save = async (wanted: Values) => {
    const body = bodyOf(wanted, source)
    const saved = source
      ? await call('sources.replace', { params: { sourceId: source.id }, body })
      : await call('sources.create', { body })
    form.reset(firstValues(saved, ''))
    refreshSources()
    onSaved(saved)
  }
  const count = form.changes.value.length
  return (
    <Form form={form} label={source ? 'Source' : 'New source'} onSubmit={save} isGuarded>
      <div class="source-line">
        <TextField label="Name" hint="By which tiles name it." {...form.field('name')} />
        <SelectField
          label="Kind"
          options={[
            { value: 'events', name: 'Events' },
            { value: 'metrics', name: 'Metrics' },
          ]}
          {...form.field('kind')}
        />
      </div>
      <div class="source-line">
        <SelectField
          label="Service"
          options={services.map(({ id, name }) => ({ value: id, name }))}
          {...form.field('serviceId')}
        />
        <Choice
          label="Database"
          names={schema?.databases.map(({ name }) => name)}
          field={form.field('database')}
        />
        <Choice label="Table" names={tables?.map(({ name }) => name)} field={form.field('table')} />
      </div>
      <div class="source-line">
        <Choice
          label="Time column"
          hint="Empty: the first time of the sorting key, else of the table."
          names={columns}
          hasNone="found by itself"
          field={form.field('timestampColumn')}
        />
        <Choice
          label="Text that bare words search"
          names={columns}
          hasNone="none"
          field={form.field('implicitColumn')}
        />
      </div>
      {values.kind === 'metrics' && (
        <div class="source-line">
          <SelectField
            label="Values are"
            options={[
              { value: 'cumulative', name: 'totals' },
              { value: 'delta', name: 'increments' },
            ]}
            {...form.field('temporality')}
          />
          <TextField
            label="Labels"
            isMono
            hint="Columns that tell series apart, with commas. Empty: ServiceName and Attributes."
            {...form.field('labels')}
          />
        </div>
      )}
      <Aliases columns={columns} {...form.field('aliases')} />
      <CheckField
        label={`The default of ${values.kind}`}
        isSwitch
        hint={`Tiles that ask for ${values.kind} read it.`}
        {...form.field('isDefault')}
      />
      <div class="actions">
        <Button
          submit
          tone="primary"
          isBusy={form.isSaving.value}
          reason={source && count === 0 ? 'Nothing is changed.' : null}
        >
          {source ? 'Save' : 'New source'}
        </Button>
        {source && count > 0 && <Button onPress={() => form.reset()}>Discard</Button>}
      </div>
    </Form>
  )
}

/** A choice among the names that the service has; typed while the service does not run. */
function Choice(props: {
  label: string
  hint?: string
  names: readonly string[] | undefined
  /** What no choice means; absent = one is needed. */
  hasNone?: string
  field: FieldState<string>
}) {
  const { label, names, hasNone, field, ...rest } = props
  if (!names) return <TextField label={label} isMono {...rest} {...field} />
  const known = names.includes(field.value) || field.value === '' ? names : [field.value, ...names]
  return (
    <SelectField
      label={label}
      {...rest}
      {...field}
      options={[
        { value: '', name: hasNone ?? 'Choose one', isDisabled: hasNone === undefined },
        ...known.map((name) => ({ value: name, name })),
      ]}
    />
  )
}

function bodyOf(values: Values, source: Source | null) {
  const { name, kind, serviceId, database, table, timestampColumn, implicitColumn, isDefault } = values
  const aliases = Object.fromEntries(
    values.aliases.filter(([alias, column]) => alias !== '' && column !== ''),
  )
  const labels = values.labels
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
  return {
    ...{ name, kind, serviceId, database, table },
    ...(timestampColumn === '' ? {} : { timestampColumn }),
    // A new source without a choice gets what fits by its name.
    ...(source === null && implicitColumn === '' ? {} : { implicitColumn }),
    ...(source === null && values.aliases.length === 0 ? {} : { aliases }),
    ...(isDefault || source ? { isDefault } : {}),
    ...(kind === 'metrics'
      ? {
          metric: {
            ...source?.metric,
            temporality: values.temporality,
            ...(labels.length > 0 ? { labels } : {}),
          },
        }
      : {}),
  }
}

import { Button } from '../../kit/button.tsx'
import { Notice } from '../../kit/notice.tsx'
import { counted } from '../../lib/words.ts'
import { columnsOfFields } from './rows.ts'
import type { Discovery } from './use-discovery.ts'
import type { Schema, Wizard } from './wizard-state.ts'

/** What the source answered: its fields with their types, and the first records. */
export function SampleStep(props: { wizard: Wizard; discovery: Discovery; onNext: () => void }) {
  const { wizard, discovery, onNext } = props
  const schema = wizard.schema.value
  const takeOver = () => {
    if (schema) wizard.columns.value = columnsOfFields(schema.fields)
    wizard.sorting.value = []
  }
  const isOther = schema?.fields.some(({ name }) =>
    wizard.columns.value.every(({ sourceField }) => sourceField !== name),
  )
  return (
    <>
      {schema === null ? (
        <Notice hue="rest" icon="eye" title="The source is not tested.">
          Its fields are not known: name them yourself in the next step.
        </Notice>
      ) : (
        <>
          <Notice hue="ok" role="status" title="The source answers.">
            {counted(schema.fields.length, 'field')} in {counted(schema.records.length, 'record')} of it.
          </Notice>
          <SampleTable schema={schema} />
        </>
      )}
      {isOther && (
        <Notice
          hue="warn"
          title="The columns were made from another sample."
          actions={
            <Button size="small" onPress={takeOver}>
              Make them anew
            </Button>
          }
        />
      )}
      <div class="actions">
        <Button tone="primary" onPress={onNext}>
          Go on
        </Button>
        <Button icon="refresh" isBusy={discovery.isReading} onPress={() => void discovery.read()}>
          {schema === null ? 'Test the source' : 'Read again'}
        </Button>
        {discovery.isReading && <Button onPress={discovery.cancel}>Cancel the test</Button>}
      </div>
    </>
  )
}

function SampleTable({ schema: { fields, records } }: { schema: Schema }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="wizard-sample" aria-label="Sample records" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {fields.map(({ name, type }) => (
              <th key={name} scope="col">
                {name} <span class="wizard-type">{type}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map((record, i) => (
            // The records have no names.
            <tr key={i}>
              {record.map((value, k) => (
                <td key={fields[k]?.name}>{value ?? <span class="muted">NULL</span>}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

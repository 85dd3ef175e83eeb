import { Button } from '../../kit/button.tsx'
import { Segment } from '../../kit/segment.tsx'
import { ColumnRows } from './column-rows.tsx'
import { ConvertedRows } from './converted-rows.tsx'
import { ExistingTable } from './existing-table.tsx'
import { PostgresTables } from './postgres-tables.tsx'
import { FieldGroups, SpecField } from './spec-field.tsx'
import { databaseField, definitionGroup, tableField } from './table-fields.ts'
import type { Preview } from './use-preview.ts'
import type { Step, Wizard } from './wizard-state.ts'

/** Where the records go: a table that the pipe makes or one that is there, and which field fills which column. */
export function TableStep(props: {
  wizard: Wizard
  serviceId: string
  preview: Preview
  go: (step: Step) => void
  onNext: () => void
}) {
  const { wizard, serviceId, preview, go, onNext } = props
  const isPostgres = wizard.kind === 'postgres'
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        onNext()
      }}
    >
      {isPostgres ? (
        <>
          <div class="wizard-fields">
            <SpecField wizard={wizard} field={databaseField} />
          </div>
          <PostgresTables wizard={wizard} />
        </>
      ) : (
        <>
          <Target wizard={wizard} serviceId={serviceId} />
          <ConvertedRows
            wizard={wizard}
            preview={preview}
            onRefused={(error) => go(wizard.refuse(error, 'table'))}
          />
        </>
      )}
      <div class="actions">
        <Button submit tone="primary">
          Go on
        </Button>
      </div>
    </form>
  )
}

function Target({ wizard, serviceId }: { wizard: Wizard; serviceId: string }) {
  const isNew = wizard.isNewTable.value
  return (
    <>
      <Segment
        label="Which table"
        value={isNew ? 'new' : 'existing'}
        onChange={(value) => {
          wizard.isNewTable.value = value === 'new'
          wizard.forget('destination')
        }}
        options={[
          { value: 'new', name: 'New table' },
          { value: 'existing', name: 'Existing table' },
        ]}
      />
      {isNew ? (
        <div class="wizard-fields">
          <SpecField wizard={wizard} field={databaseField} />
          <SpecField wizard={wizard} field={tableField} />
        </div>
      ) : (
        <ExistingTable wizard={wizard} serviceId={serviceId} />
      )}
      <ColumnRows wizard={wizard} />
      {isNew && <FieldGroups wizard={wizard} groups={[definitionGroup]} />}
    </>
  )
}

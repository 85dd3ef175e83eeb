import { useSignal } from '@preact/signals'
import { toApiError } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { refresh } from '../../api/resource.ts'
import { Button } from '../../kit/button.tsx'
import { CallCode } from '../../kit/call-code.tsx'
import { withBody } from '../../lib/call-text.ts'
import { ConvertedRows } from './converted-rows.tsx'
import { runGroups } from './run-fields.ts'
import { FieldGroups } from './spec-field.tsx'
import type { Preview } from './use-preview.ts'
import type { Step, Wizard } from './wizard-state.ts'

interface RunStepProps {
  wizard: Wizard
  serviceId: string
  preview: Preview
  /** Opens the step where the server found something wrong. */
  go: (step: Step) => void
  onMade: (pipeId: string) => void
}

/** Name, workers and settings; then what the rows will be, the whole request as it will be sent, and the button that sends it. */
export function RunStep({ wizard, serviceId, preview, go, onMade }: RunStepProps) {
  const isSending = useSignal(false)
  const create = async () => {
    if (isSending.value) return
    isSending.value = true
    wizard.clear()
    try {
      const pipe = await call('pipes.create', { params: { serviceId }, body: wizard.build() })
      refresh('organizations.pipes', 'pipes.list')
      onMade(pipe.id)
    } catch (thrown) {
      go(wizard.refuse(toApiError(thrown), 'run'))
    } finally {
      isSending.value = false
    }
  }
  const body = wizard.build({ isMasked: true })
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void create()
      }}
    >
      <FieldGroups wizard={wizard} groups={runGroups[wizard.kind]} />
      {wizard.kind !== 'postgres' && <ConvertedRows wizard={wizard} preview={preview} isAutomatic />}
      <fieldset class="wizard-group">
        <legend>Request</legend>
        <p class="field-hint">
          What the button sends, for scripts. Secrets are left out: write them for the dots.
        </p>
        <CallCode
          call={{
            ...{ id: 'pipes.create', input: { params: { serviceId }, body } },
            granary: withBody(`granary pipes create ${serviceId}`, body),
          }}
        />
      </fieldset>
      <div class="actions">
        <Button submit tone="primary" isBusy={isSending.value}>
          New pipe
        </Button>
        <span class="sub">The source and the table are looked at first; then it runs.</span>
      </div>
    </form>
  )
}

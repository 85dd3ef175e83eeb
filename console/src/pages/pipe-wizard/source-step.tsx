import { Button } from '../../kit/button.tsx'
import { FieldGroups } from './spec-field.tsx'
import type { Discovery } from './use-discovery.ts'
import { sourceGroups, type Wizard } from './wizard-state.ts'

/** Where the records are, and how the pipe signs in there. Enter tests it. */
export function SourceStep({
  wizard,
  discovery,
  onNext,
}: {
  wizard: Wizard
  discovery: Discovery
  onNext: () => void
}) {
  const { kind } = wizard
  const isTestable = kind !== 'postgres'
  const submit = () => (isTestable ? void discovery.read() : onNext())
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <FieldGroups wizard={wizard} groups={sourceGroups[kind]} />
      <div class="actions">
        {isTestable ? (
          <>
            <Button submit tone="primary" isBusy={discovery.isReading}>
              Test the source
            </Button>
            {discovery.isReading ? (
              <Button onPress={discovery.cancel}>Cancel the test</Button>
            ) : (
              <Button tone="quiet" onPress={onNext}>
                Go on untested
              </Button>
            )}
            <span class="sub">Connects, reads some records, and stores nothing.</span>
          </>
        ) : (
          <>
            <Button submit tone="primary">
              Go on
            </Button>
            <span class="sub">The server connects before it makes the pipe, and says what is wrong.</span>
          </>
        )}
      </div>
    </form>
  )
}

import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { TextField } from './text-field.tsx'

export interface Question {
  /** The question itself: "Delete service events?". */
  title: string
  /** The consequence, with numbers. */
  text?: ComponentChildren
  /** The verb with its object: "Delete events". */
  verb: string
  /** Default "Keep it". It has the focus. */
  keep?: string
  isDangerous?: boolean
  /** Must be typed before the verb can be used. */
  typedName?: string
}

const asked = signal<(Question & { answer(isAgreed: boolean): void }) | null>(null)

/** Asks, and answers whether it was agreed to. One question at a time: an older one counts as refused. */
export function confirm(question: Question): Promise<boolean> {
  asked.value?.answer(false)
  return new Promise((resolve) => {
    asked.value = {
      ...question,
      answer(isAgreed) {
        asked.value = null
        resolve(isAgreed)
      },
    }
  })
}

export const askToLeave = (): Promise<boolean> =>
  confirm({
    title: 'Leave without saving?',
    text: 'The changes on this page are not saved.',
    verb: 'Leave',
    keep: 'Stay here',
  })

/** Where questions appear; once in the frame. */
export function ConfirmHost() {
  const question = asked.value
  return question && <ConfirmDialog key={question.title} {...question} />
}

function ConfirmDialog(props: Question & { answer(isAgreed: boolean): void }) {
  const { title, text, verb, keep = 'Keep it', isDangerous, typedName, answer } = props
  const [typed, setTyped] = useState('')
  const isTyped = typedName === undefined || typed === typedName
  return (
    <Dialog title={title} text={text} onClose={() => answer(false)}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (isTyped) answer(true)
        }}
      >
        {typedName !== undefined && (
          <TextField label={`Type ${typedName} to confirm`} value={typed} onChange={setTyped} />
        )}
        <div class="actions actions-end">
          <Button mark="first" onPress={() => answer(false)}>
            {keep}
          </Button>
          <Button
            submit
            tone={isDangerous ? 'danger' : 'primary'}
            reason={isTyped ? null : `Type ${typedName} first.`}
          >
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

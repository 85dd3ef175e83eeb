import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import './field.css'
import { Icon } from './icon.tsx'

/** What every field takes from its form (`form.field('name')`) or from the page. */
export interface FieldState<T> {
  value: T
  onChange: (value: T) => void
  /** Checks the value when the field is left. */
  onLeave?: () => void
  /** The server's or the console's words about what is wrong. */
  error?: string | undefined
  /** It differs from what is in force: edged in wheat. */
  isChanged?: boolean
  /** By which the form finds the field. */
  name?: string
}

export interface FieldProps {
  label: string
  /** What the name of the field has besides, where the place of the field says it to the eye. */
  labelRest?: string
  /** Label and control are in one line. */
  isRow?: boolean
  /** The rule, before it is broken. */
  hint?: ComponentChildren
  isOptional?: boolean
  /** Shown at the end of the label line. */
  aside?: ComponentChildren
}

export interface InputIds {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': boolean | undefined
}

/** Label above, hint beneath, the error in place of the hint. */
export function Field(
  props: FieldProps & { error?: string | undefined; children: (ids: InputIds) => ComponentChildren },
) {
  const { label, labelRest, isRow, hint, isOptional, aside, error, children } = props
  const id = useId()
  const noteId = `${id}-note`
  const hasNote = error !== undefined || hint !== undefined
  return (
    <div class={isRow ? 'field field-row' : 'field'}>
      <span class="field-label">
        <label for={id}>
          {label}
          {labelRest && <span class="sr"> {labelRest}</span>}
          {isOptional && <span class="field-optional"> optional</span>}
        </label>
        {aside}
      </span>
      {children({
        id,
        'aria-describedby': hasNote ? noteId : undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      <FieldNote id={noteId} error={error} hint={hint} />
    </div>
  )
}

export function FieldNote(props: { id: string; error?: string | undefined; hint?: ComponentChildren }) {
  const { id, error, hint } = props
  if (error !== undefined) {
    return (
      <p class="field-error" id={id}>
        <Icon name="failed" size="small" />
        <span>{error}</span>
      </p>
    )
  }
  return hint === undefined ? null : (
    <p class="field-hint" id={id}>
      {hint}
    </p>
  )
}

export const inputClass = (isChanged: boolean | undefined, ...more: (string | false | undefined)[]): string =>
  ['input', isChanged && 'input-changed', ...more].filter(Boolean).join(' ')

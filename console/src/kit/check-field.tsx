import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import './field.css'
import { FieldNote, type FieldState } from './field.tsx'

interface CheckFieldProps extends FieldState<boolean> {
  label: ComponentChildren
  hint?: ComponentChildren
  /** A switch takes effect at once or with its form; a box is one of several. */
  isSwitch?: boolean
  isDisabled?: boolean
}

export function CheckField(props: CheckFieldProps) {
  const { label, hint, value, onChange, error, isChanged, isSwitch } = props
  const id = useId()
  return (
    <div class="field">
      <label class={isChanged ? 'check check-changed' : 'check'}>
        <input
          type="checkbox"
          class={isSwitch ? 'switch' : undefined}
          role={isSwitch ? 'switch' : undefined}
          name={props.name}
          checked={value}
          disabled={props.isDisabled}
          aria-describedby={error || hint ? id : undefined}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        <span>{label}</span>
      </label>
      <FieldNote id={id} error={error} hint={hint} />
    </div>
  )
}

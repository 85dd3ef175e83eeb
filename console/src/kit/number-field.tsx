import { Button } from './button.tsx'
import { Field, type FieldProps, type FieldState, inputClass } from './field.tsx'

interface NumberFieldProps extends FieldProps, FieldState<number | null> {
  unit?: string
  min?: number
  max?: number
  step?: number
  placeholder?: string
  isDisabled?: boolean
  /** Buttons for one step down and up, by their names. */
  steps?: { down: string; up: string }
}

/** A number; null while the field is empty. Bounds stand in the hint, the server checks them. */
export function NumberField(props: NumberFieldProps) {
  const { value, onChange, onLeave, error, isChanged, unit, min, max, step, steps } = props
  const by = (change: number) => {
    const wanted = (value ?? min ?? 0) + change * (step ?? 1)
    onChange(Math.min(max ?? wanted, Math.max(min ?? wanted, wanted)))
  }
  return (
    <Field {...props} error={error}>
      {(ids) => (
        <span class={steps ? 'input-steps' : unit ? 'input-with' : undefined}>
          {steps && (
            <Button label={steps.down} onPress={() => by(-1)}>
              −
            </Button>
          )}
          <input
            {...ids}
            class={inputClass(isChanged)}
            type="number"
            inputMode="decimal"
            name={props.name}
            value={value ?? ''}
            min={min}
            max={max}
            step={step ?? 'any'}
            placeholder={props.placeholder}
            disabled={props.isDisabled}
            onInput={(event) => {
              const typed = event.currentTarget.valueAsNumber
              onChange(Number.isNaN(typed) ? null : typed)
            }}
            onBlur={onLeave}
          />
          {unit && <span class="input-unit">{unit}</span>}
          {steps && (
            <Button label={steps.up} onPress={() => by(1)}>
              +
            </Button>
          )}
        </span>
      )}
    </Field>
  )
}

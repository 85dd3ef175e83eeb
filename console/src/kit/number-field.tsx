import { Field, type FieldProps, type FieldState, inputClass } from './field.tsx'

interface NumberFieldProps extends FieldProps, FieldState<number | null> {
  unit?: string
  min?: number
  max?: number
  step?: number
  placeholder?: string
  isDisabled?: boolean
}

/** A number; null while the field is empty. Bounds stand in the hint, the server checks them. */
export function NumberField(props: NumberFieldProps) {
  const { value, onChange, onLeave, error, isChanged, unit, min, max, step } = props
  return (
    <Field {...props} error={error}>
      {(ids) => (
        <span class={unit ? 'input-with' : undefined}>
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
        </span>
      )}
    </Field>
  )
}

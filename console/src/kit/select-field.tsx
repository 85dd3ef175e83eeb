import { Field, type FieldProps, type FieldState, inputClass } from './field.tsx'

export interface Option<T extends string> {
  value: T
  name: string
  isDisabled?: boolean
}

interface SelectFieldProps<T extends string> extends FieldProps, FieldState<T> {
  options: readonly Option<T>[]
  isDisabled?: boolean
}

export function SelectField<T extends string>(props: SelectFieldProps<T>) {
  const { value, onChange, onLeave, error, isChanged, options } = props
  return (
    <Field {...props} error={error}>
      {(ids) => (
        <select
          {...ids}
          class={inputClass(isChanged)}
          name={props.name}
          value={value}
          disabled={props.isDisabled}
          onChange={(event) => onChange(event.currentTarget.value as T)}
          onBlur={onLeave}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value} disabled={option.isDisabled}>
              {option.name}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** A select without a visible label, for bars and heads. */
export function Select<T extends string>(props: {
  label: string
  value: T
  options: readonly Option<T>[]
  onChange: (value: T) => void
  isSmall?: boolean
}) {
  const { label, value, options, onChange, isSmall } = props
  return (
    <select
      class={isSmall ? 'input input-small' : 'input'}
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value as T)}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value} disabled={option.isDisabled}>
          {option.name}
        </option>
      ))}
    </select>
  )
}

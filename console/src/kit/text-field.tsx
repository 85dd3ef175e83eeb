import type { ComponentChildren, Ref } from 'preact'
import { useState } from 'preact/hooks'
import { cleanPaste } from '../lib/clean-paste.ts'
import { Button } from './button.tsx'
import { Field, type FieldProps, type FieldState, inputClass } from './field.tsx'

interface TextFieldProps extends FieldProps, FieldState<string> {
  type?: 'text' | 'search' | 'email' | 'url' | 'datetime-local'
  /** For ids, addresses and code. */
  isMono?: boolean
  unit?: string
  placeholder?: string
  autocomplete?: string
  maxLength?: number
  isDisabled?: boolean
  inputRef?: Ref<HTMLInputElement>
  children?: ComponentChildren
}

export function TextField(props: TextFieldProps) {
  const { value, onChange, onLeave, error, isChanged, type = 'text', isMono, unit } = props
  return (
    <Field {...props} error={error}>
      {(ids) => (
        <span class={unit ? 'input-with' : undefined}>
          <input
            {...ids}
            ref={props.inputRef ?? null}
            class={inputClass(isChanged, isMono && 'input-mono')}
            {...typeOf(type)}
            name={props.name}
            value={value}
            placeholder={props.placeholder}
            maxLength={props.maxLength}
            autocomplete={props.autocomplete ?? 'off'}
            spellcheck={false}
            disabled={props.isDisabled}
            onInput={(event) => onChange(event.currentTarget.value)}
            onPaste={cleanPaste}
            onBlur={onLeave}
          />
          {unit && <span class="input-unit">{unit}</span>}
          {props.children}
        </span>
      )}
    </Field>
  )
}

export function TextArea(props: FieldProps & FieldState<string> & { rows?: number; isMono?: boolean }) {
  const { value, onChange, onLeave, error, isChanged, rows = 4, isMono } = props
  return (
    <Field {...props} error={error}>
      {(ids) => (
        <textarea
          {...ids}
          class={inputClass(isChanged, isMono && 'input-mono')}
          name={props.name}
          rows={rows}
          value={value}
          spellcheck={!isMono}
          onInput={(event) => onChange(event.currentTarget.value)}
          onBlur={onLeave}
        />
      )}
    </Field>
  )
}

/** A secret that is typed: hidden unless it is asked to be shown. Password managers may fill it. */
export function SecretField(props: FieldProps & FieldState<string> & { autocomplete?: string }) {
  const { value, onChange, onLeave, error, isChanged, autocomplete = 'off' } = props
  const [isShown, setShown] = useState(false)
  return (
    <Field {...props} error={error}>
      {(ids) => (
        <span class="input-with">
          <input
            {...ids}
            class={inputClass(isChanged, 'input-mono')}
            {...typeOf(isShown ? 'text' : 'password')}
            name={props.name}
            value={value}
            autocomplete={autocomplete}
            spellcheck={false}
            onInput={(event) => onChange(event.currentTarget.value)}
            onPaste={cleanPaste}
            onBlur={onLeave}
          />
          <Button
            tone="quiet"
            size="small"
            icon="eye"
            label={isShown ? 'Hide the secret' : 'Show the secret'}
            isPressed={isShown}
            onPress={() => setShown(!isShown)}
          />
        </span>
      )}
    </Field>
  )
}

/** A secret of several lines, such as a private key: its letters are dots unless it is asked to be shown. */
export function SecretArea(props: FieldProps & FieldState<string> & { rows?: number }) {
  const { value, onChange, onLeave, error, isChanged, rows = 4 } = props
  const [isShown, setShown] = useState(false)
  const show = (
    <Button
      tone="quiet"
      size="small"
      icon="eye"
      label={isShown ? 'Hide the secret' : 'Show the secret'}
      isPressed={isShown}
      onPress={() => setShown(!isShown)}
    />
  )
  return (
    <Field {...props} error={error} aside={show}>
      {(ids) => (
        <textarea
          {...ids}
          class={inputClass(isChanged, 'input-mono', !isShown && 'input-veiled')}
          name={props.name}
          rows={rows}
          value={value}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => onChange(event.currentTarget.value)}
          onBlur={onLeave}
        />
      )}
    </Field>
  )
}

/** A secret that the server has and never shows: it can only be replaced. */
export function KeptSecretField(
  props: FieldProps &
    FieldState<string> & { isReplacing: boolean; onReplace: (isReplacing: boolean) => void },
) {
  const { isReplacing, onReplace, ...field } = props
  const toggle = (
    <Button tone="quiet" size="small" onPress={() => onReplace(!isReplacing)}>
      {isReplacing ? 'Keep the old one' : 'Replace'}
    </Button>
  )
  if (isReplacing) return <SecretField {...field} aside={toggle} />
  return (
    <Field {...field} hint="Set; never shown." aside={toggle}>
      {(ids) => <input {...ids} class={inputClass(false)} value="••••••••" disabled />}
    </Field>
  )
}

/** The types of JSX have one kind of input for each type, and none for a type that is chosen. */
const typeOf = (type: string) => ({ type: type as 'text' })

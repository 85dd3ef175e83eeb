import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { guardLeaving } from '../lib/address.ts'
import { raised } from '../lib/words.ts'
import { askToLeave } from './confirm.tsx'
import './form.css'
import { createForm, type FormOptions, type Form as FormState } from './form-state.ts'
import { Notice } from './notice.tsx'

export type { FormState }

/** The state of a form for as long as the component is there. */
export function useForm<T extends object>(initial: T, options?: FormOptions<T>): FormState<T> {
  // A form keeps its first values until it is reset.
  return useMemo(() => createForm(initial, options), [])
}

/** A form without changes shows what is in force now, also when somebody else changed it. */
export function useFollowing<T extends object>(form: FormState<T>, inForce: T): void {
  const key = JSON.stringify(inForce)
  useEffect(() => {
    if (form.changes.peek().length === 0) form.reset(inForce)
  }, [key])
}

interface FormProps<T extends object> {
  form: FormState<T>
  label?: string
  onSubmit: (values: T) => Promise<unknown>
  /** Whoever would leave the page with changes is asked first. */
  isGuarded?: boolean
  class?: string
  children: ComponentChildren
}

/** Saves with Enter or its submit button; after a failed save the first wrong field has the focus. */
export function Form<T extends object>({
  form,
  label,
  onSubmit,
  isGuarded,
  children,
  ...rest
}: FormProps<T>) {
  const ref = useRef<HTMLFormElement>(null)
  const failures = form.failures.value
  useEffect(() => {
    if (failures === 0) return
    const wrong = ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')
    const first = ref.current?.querySelector<HTMLElement>('input, select, textarea')
    ;(wrong ?? first)?.focus()
  }, [failures])
  const isChanged = form.changes.value.length > 0
  useEffect(() => {
    if (isGuarded && isChanged) return guardLeaving(askToLeave)
  }, [isGuarded, isChanged])
  return (
    <form
      ref={ref}
      class={`form ${rest.class ?? ''}`}
      aria-label={label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void form.save(onSubmit)
      }}
    >
      {children}
      {form.messages.value.length > 0 && (
        <Notice hue="bad" role="alert">
          {form.messages.value.map(raised).join(' ')}
        </Notice>
      )}
    </form>
  )
}

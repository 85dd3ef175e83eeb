/**
 * The values of a form, what of them is changed, and what the server said about them. A failed save keeps every value
 * and puts each issue on its field; an issue goes when its field is changed.
 */
import { batch, computed, type ReadonlySignal, signal } from '@preact/signals'
import { type ApiError, toApiError } from '../api/api-error.ts'
import { sortIssues } from '../api/issues.ts'
import type { FieldState } from './field.tsx'

export interface Form<T extends object> {
  values: ReadonlySignal<T>
  /** The names of the fields that differ from what was there first. */
  changes: ReadonlySignal<(keyof T & string)[]>
  isSaving: ReadonlySignal<boolean>
  /** Sentences that belong to no field. */
  messages: ReadonlySignal<readonly string[]>
  /** Goes up with each failed save: the form then takes the focus to the first wrong field. */
  failures: ReadonlySignal<number>
  /** Sets one value, and forgets what was said about it. */
  set<Name extends keyof T & string>(name: Name, value: T[Name]): void
  /** What a field needs: `<TextField label="Name" {...form.field('name')} />`. */
  field<Name extends keyof T & string>(name: Name): FieldState<T[Name]> & { name: string }
  /** Says something about a field, or takes it back (null). */
  say(name: keyof T & string, message: string | null): void
  /** Runs the save. Gives whether it went well; an `ApiError` is shown by the fields and the form. */
  save(run: (values: T) => Promise<unknown>): Promise<boolean>
  /** Begins anew: with what is in force now, or with the first values. */
  reset(values?: T): void
}

export interface FormOptions<T> {
  /** Checks of single fields when they are left: the message, or null. */
  checks?: { [Name in keyof T]?: (value: T[Name], values: T) => string | null }
  /** Names under which the server knows fields, where they differ. */
  serverNames?: { [Name in keyof T]?: string }
}

export function createForm<T extends object>(first: T, options: FormOptions<T> = {}): Form<T> {
  type Name = keyof T & string
  const initial = signal(first)
  const values = signal(first)
  const errors = signal<Partial<Record<Name, string>>>({})
  const messages = signal<readonly string[]>([])
  const failures = signal(0)
  const isSaving = signal(false)
  const shown = new Set<Name>()
  const changes = computed(() =>
    (Object.keys(values.value) as Name[]).filter((name) => !isSame(values.value[name], initial.value[name])),
  )
  const serverName = (name: Name): string => options.serverNames?.[name] ?? name
  const say = (name: Name, message: string | null) => {
    const { [name]: _, ...rest } = errors.value
    errors.value = (message === null ? rest : { ...rest, [name]: message }) as Partial<Record<Name, string>>
  }

  const form: Form<T> = {
    ...{ values, changes, isSaving, messages, failures, say },
    set(name, value) {
      batch(() => {
        values.value = { ...values.value, [name]: value }
        if (errors.value[name] !== undefined) say(name, null)
      })
    },
    field(name) {
      shown.add(name)
      const check = options.checks?.[name]
      return {
        name,
        value: values.value[name],
        error: errors.value[name],
        isChanged: changes.value.includes(name),
        onChange: (value) => form.set(name, value),
        ...(check ? { onLeave: () => say(name, check(values.value[name], values.value)) } : {}),
      }
    },
    async save(run) {
      if (isSaving.value) return false
      if (!checkAll()) return false
      isSaving.value = true
      messages.value = []
      try {
        await run(values.value)
        errors.value = {}
        return true
      } catch (thrown) {
        fail(toApiError(thrown))
        return false
      } finally {
        isSaving.value = false
      }
    },
    reset(next = initial.value) {
      batch(() => {
        initial.value = next
        values.value = next
        errors.value = {}
        messages.value = []
      })
    },
  }
  return form

  function checkAll(): boolean {
    let isGood = true
    for (const name of shown) {
      const message = options.checks?.[name]?.(values.value[name], values.value) ?? null
      if (message === null) continue
      isGood = false
      say(name, message)
    }
    if (!isGood) failures.value += 1
    return isGood
  }

  function fail(error: ApiError): void {
    const byServerName = new Map([...shown].map((name) => [serverName(name), name]))
    const { fields, others } = sortIssues(error, [...byServerName.keys()])
    batch(() => {
      errors.value = {}
      for (const [path, issue] of Object.entries(fields)) {
        const name = byServerName.get(path)
        if (name) say(name, issue.message)
      }
      messages.value = others
      failures.value += 1
    })
  }
}

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)

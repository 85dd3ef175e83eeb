/**
 * The fields of the wizard as data. A field's path is its place in the request, and so the name under which the server
 * speaks of it; paths that begin with @ belong to the wizard alone.
 */
import type { Option } from '../../kit/select-field.tsx'

export type FieldValue = string | number | boolean | null
export type Values = Readonly<Record<string, FieldValue>>
/** The value of another field, as it would be sent. */
export type Get = (path: string) => FieldValue

export interface FieldSpec {
  path: string
  label: string
  control: 'text' | 'secret' | 'area' | 'secret-area' | 'number' | 'switch' | 'choice' | 'time'
  hint?: string
  options?: readonly Option<string>[] | ((get: Get) => readonly Option<string>[])
  /** What the server takes when the field is left as it is: shown in grey, and not sent. */
  placeholder?: string
  unit?: string
  isOptional?: true
  /** Takes the whole line. */
  isWide?: true
  first?: FieldValue
  /** Absent = always. */
  when?: (get: Get) => boolean
  /** What is sent for the value. Default: the value. */
  toSent?: (value: FieldValue) => unknown
}

export interface FieldGroup {
  title: string
  hint?: string
  fields: readonly FieldSpec[]
}

/** The names of values, all of them: `Record` makes the compiler count. */
export const optionsOf = <T extends string>(names: Record<T, string>): Option<string>[] =>
  (Object.entries(names) as [T, string][]).map(([value, name]) => ({ value, name }))

export function firstValue({ control, first }: FieldSpec): FieldValue {
  if (first !== undefined) return first
  return control === 'switch' ? false : control === 'number' ? null : ''
}

export const optionsFor = ({ options = [] }: FieldSpec, get: Get): readonly Option<string>[] =>
  typeof options === 'function' ? options(get) : options

/** Reads values as they count: a choice that is not offered any more is the first one that is. */
export function reader(fields: readonly FieldSpec[], values: Values): Get {
  const byPath = new Map(fields.map((field) => [field.path, field]))
  const get: Get = (path) => {
    const field = byPath.get(path)
    if (field === undefined) return null
    const value = values[path] ?? firstValue(field)
    if (field.control !== 'choice') return value
    const offered = optionsFor(field, get)
    return offered.some((option) => option.value === value) ? value : (offered[0]?.value ?? '')
  }
  return get
}

export const isShown = (field: FieldSpec, get: Get): boolean => field.when?.(get) ?? true

/** The request's part that the fields fill: those that are shown and say something. Secrets are masked on demand. */
export function bodyOf(
  fields: readonly FieldSpec[],
  values: Values,
  { isMasked = false } = {},
): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  const get = reader(fields, values)
  for (const field of fields) {
    const value = get(field.path)
    if (field.path.startsWith('@') || !isShown(field, get) || value === '' || value === null) continue
    if (field.control === 'switch' && value === firstValue(field)) continue
    const isHidden = isMasked && field.control.startsWith('secret')
    place(body, field.path.split('.'), isHidden ? '…' : field.toSent ? field.toSent(value) : value)
  }
  return body
}

function place(into: Record<string, unknown>, [name = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    into[name] = value
    return
  }
  into[name] ??= {}
  place(into[name] as Record<string, unknown>, rest, value)
}

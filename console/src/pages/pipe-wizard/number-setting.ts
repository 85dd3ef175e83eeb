import { formatExact } from '../../lib/numbers.ts'
import type { FieldSpec } from './fields.ts'

export interface Bound {
  min: number
  max: number
  default: number
}

/** A number with its default in grey and its bounds beneath. */
export const numberSetting = (path: string, label: string, bound: Bound, unit?: string): FieldSpec => ({
  ...{ path, label, control: 'number', placeholder: formatExact(bound.default) },
  hint: `${formatExact(bound.min)} to ${formatExact(bound.max)}.`,
  ...(unit === undefined ? {} : { unit }),
})

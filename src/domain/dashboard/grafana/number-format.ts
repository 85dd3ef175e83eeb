import { ownValue } from '../../../lib/own-value.ts'
import { dashboardLimits as limits } from '../limits.ts'
import type { NumberFormat } from '../types.ts'
import { objectOf, textOf } from './json.ts'
import type { Report } from './report.ts'

const units: Record<string, NumberFormat> = {
  s: { output: 'duration' },
  // Durations are in seconds here.
  ms: { output: 'duration', factor: 0.001 },
  bytes: { output: 'byte' },
  decbytes: { output: 'byte', decimalBytes: true },
  // A percentage here is of 1.
  percent: { output: 'percent', factor: 0.01 },
  percentunit: { output: 'percent' },
  short: { output: 'number', average: true },
}

const symbols: Record<string, string> = { USD: '$', EUR: '€', GBP: '£', JPY: '¥', INR: '₹', CHF: 'CHF ' }

/** How numbers are written, after the unit and the decimals; undefined = as they are. */
export function carryNumberFormat(
  fieldConfig: unknown,
  path: string,
  report: Report,
): NumberFormat | undefined {
  const defaults = objectOf(objectOf(fieldConfig)['defaults'])
  const unit = textOf(defaults['unit'])
  const currency = /^currency(\w{1,16})$/.exec(unit)?.[1]
  const format = currency
    ? { output: 'currency' as const, currencySymbol: ownValue(symbols, currency) ?? `${currency} ` }
    : ownValue(units, unit)
  if (!format && unit !== '' && unit !== 'none') {
    report.add(`${path}.fieldConfig.defaults.unit`, 'unit', `the unit ${unit.slice(0, 64)} is not known here`)
  }
  const { decimals } = defaults
  const isMantissa =
    typeof decimals === 'number' && Number.isInteger(decimals) && decimals >= 0 && decimals <= limits.mantissa
  if (!isMantissa) return format
  return { ...(format ?? { output: 'number' as const }), mantissa: decimals }
}

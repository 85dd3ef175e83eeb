/** Numbers as the console writes them: three significant digits, `k m bn`, a space before the unit. */

/** A figure and its unit apart, for places that set the unit smaller. */
export interface Figure {
  value: string
  unit: string
}

const counts = ['', 'k', 'm', 'bn', 'tn']
const bytes = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB']

/** `42.1 k`, `3 m`, `312`. */
export const formatCount = (value: number): string => joined(figureOf(value, 1000, counts))

/** Storage and traffic, decimal: `1.92 TB`. */
export const formatBytes = (value: number): string => joined(bytesFigure(value))
export const bytesFigure = (value: number): Figure => figureOf(value, 1000, bytes)

/** Memory as the API counts it, in units of 1024³ bytes: `41.2` of `41.2 of 48 GB`. */
export const formatGb = (value: number): string => significant(value)
export const gbOfBytes = (value: number): number => value / 1024 ** 3

/** `42.1 k/s`, `8.4 /s`. */
export function formatRate(perSecond: number): string {
  const { value, unit } = figureOf(perSecond, 1000, counts)
  return `${value} ${unit}/s`
}

/** `63 %`; shares below 0.001 % are "under 0.001 %". */
export function formatPercent(share: number): string {
  if (share > 0 && share < 0.000_01) return 'under 0.001 %'
  return `${significant(share * 100)} %`
}

/** Every digit, in groups: for tooltips, copies and tables of raw values. */
export const formatExact = (value: number): string =>
  Number.isFinite(value) ? value.toLocaleString('en-US', { maximumFractionDigits: 6 }) : String(value)

/** Three significant digits without an exponent and without trailing zeros. */
export function significant(value: number): string {
  if (!Number.isFinite(value)) return '–'
  if (value === 0) return '0'
  const size = Math.abs(value)
  if (size >= 100) return String(Math.round(value))
  const digits = Math.min(12, Math.max(0, 2 - Math.floor(Math.log10(size))))
  return String(Number(value.toFixed(digits)))
}

function figureOf(value: number, base: number, units: readonly string[]): Figure {
  if (!Number.isFinite(value)) return { value: '–', unit: '' }
  let step = 0
  let rest = value
  // 999.6 rounds to 1000, which is 1 of the next unit.
  while (Math.abs(rest) >= base - 0.5 && step < units.length - 1) {
    rest /= base
    step += 1
  }
  return { value: significant(rest), unit: units[step] ?? '' }
}

const joined = ({ value, unit }: Figure): string => (unit === '' ? value : `${value} ${unit}`)

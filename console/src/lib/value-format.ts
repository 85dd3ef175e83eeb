/** Values of tiles as their series asks for them; without a wish as the console writes numbers. */
import { formatDuration } from './durations.ts'
import { formatBytes, formatCount, formatExact, formatPercent } from './numbers.ts'

export interface ValueFormat {
  output: string
  mantissa?: number
  thousandSeparated?: boolean
  average?: boolean
  decimalBytes?: boolean
  factor?: number
  currencySymbol?: string
  unit?: string
}

export type WriteValue = (value: number) => string

/** `isWhole` keeps every digit of numbers below a million: for figures and cells, not for axes. */
export function writerOf(format: ValueFormat | undefined, { isWhole = false } = {}): WriteValue {
  const plain = (value: number) => (isWhole && Math.abs(value) < 1e6 ? exact(value) : formatCount(value))
  if (!format) return plain
  const { factor = 1, unit = '' } = format
  const after = unit === '' ? '' : ` ${unit}`
  const number = numberWriter(format, plain)
  const write = (value: number): string => {
    switch (format.output) {
      case 'byte':
        return bytes(value, format)
      case 'data_rate':
        return `${bytes(value, format)}/s`
      case 'percent':
        return format.mantissa === undefined
          ? formatPercent(value)
          : `${(value * 100).toFixed(format.mantissa)} %`
      case 'time':
      case 'duration':
        return value < 0 ? `−${formatDuration(-value * 1000)}` : formatDuration(value * 1000)
      case 'currency':
        return `${format.currencySymbol ?? '$'}${number(value)}${after}`
      case 'throughput':
        return `${number(value)}${after}/s`
      default:
        return `${number(value)}${after}`
    }
  }
  return (value) => (Number.isFinite(value) ? write(value * factor) : '–')
}

const exact = (value: number): string =>
  Number.isInteger(value) ? formatExact(value) : formatExact(Number(value.toPrecision(6)))

function numberWriter(format: ValueFormat, plain: WriteValue): WriteValue {
  const { mantissa, average, thousandSeparated } = format
  if (average) return formatCount
  if (mantissa === undefined) return thousandSeparated ? exact : plain
  return (value) =>
    value.toLocaleString('en-US', {
      ...{ minimumFractionDigits: mantissa, maximumFractionDigits: mantissa },
      useGrouping: thousandSeparated ?? false,
    })
}

function bytes(value: number, { decimalBytes }: ValueFormat): string {
  if (decimalBytes !== false) return formatBytes(value)
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']
  const step = value === 0 ? 0 : Math.min(5, Math.floor(Math.log2(Math.abs(value)) / 10))
  return `${Number((value / 1024 ** Math.max(0, step)).toPrecision(3))} ${units[Math.max(0, step)]}`
}

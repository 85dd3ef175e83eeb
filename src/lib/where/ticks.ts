import { quoteString } from '../clickhouse/identifiers.ts'
import type { Literal } from './ast.ts'
import type { ColumnType } from './column-type.ts'
import { ceilScaled, parseNumber } from './numbers.ts'
import { nanosPerSecond, parseTime } from './times.ts'
import { invalidValue, shown } from './where-error.ts'

/**
 * The values of a column as whole numbers: an integer as itself, a decimal in units of its last place, a time
 * in its smallest steps since 1970. All comparisons use these numbers, so no digit is lost.
 */
export interface Ticks {
  least: bigint
  greatest: bigint
  /** The value as SQL; only for ticks between `least` and `greatest`. */
  literal(tick: bigint): string
  /** The ticks from the beginning of what the text names up to its end; none if it lies between two ticks. */
  read(value: Literal): { from: bigint; to: bigint }
}

/** Null for a type whose values are not whole numbers of any unit. */
export function ticksOf(type: ColumnType): Ticks | null {
  switch (type.kind) {
    case 'integer':
      return integerTicks(type.name, type.bits, type.isSigned)
    case 'decimal':
      return decimalTicks(type.precision, type.scale)
    case 'date':
      return timeTicks(86_400n * nanosPerSecond, dateRanges[type.name], (iso) =>
        call(`to${type.name}`, iso.slice(0, 10)),
      )
    case 'time': {
      const { digits } = type
      const clock = (iso: string): string => iso.slice(0, 19).replace('T', ' ')
      if (digits === null)
        return timeTicks(nanosPerSecond, secondRange, (iso) => call('toDateTime', clock(iso)))
      const range = digits > 8 ? nanoRange : longRange
      return timeTicks(10n ** BigInt(9 - digits), range, (iso, fraction) =>
        call('toDateTime64', clock(iso) + (digits > 0 ? `.${fraction.slice(0, digits)}` : ''), digits),
      )
    }
    default:
      return null
  }
}

function call(name: string, text: string, digits?: number): string {
  const zone = name.startsWith('toDateTime') ? `, 'UTC'` : ''
  return `${name}(${quoteString(text)}${digits === undefined ? '' : `, ${digits}`}${zone})`
}

function integerTicks(name: string, bits: number, isSigned: boolean): Ticks {
  const size = 1n << BigInt(bits)
  return {
    least: isSigned ? -size / 2n : 0n,
    greatest: (isSigned ? size / 2n : size) - 1n,
    literal: (tick) => (bits > 64 ? `CAST('${tick}', ${quoteString(name)})` : String(tick)),
    read: (value) => readNumber(value, 0),
  }
}

function decimalTicks(precision: number, scale: number): Ticks {
  const greatest = 10n ** BigInt(precision) - 1n
  return {
    least: -greatest,
    greatest,
    literal(tick) {
      const digits = String(tick < 0n ? -tick : tick).padStart(scale + 1, '0')
      const split = digits.length - scale
      const text = scale === 0 ? digits : `${digits.slice(0, split)}.${digits.slice(split)}`
      return `CAST('${tick < 0n ? '-' : ''}${text}', 'Decimal(${precision}, ${scale})')`
    },
    read: (value) => readNumber(value, scale),
  }
}

function readNumber({ text, at }: Literal, scale: number): { from: bigint; to: bigint } {
  const number = parseNumber(text)
  if (number === null) throw invalidValue(`${shown(text)} is no number`, at)
  const scaled = ceilScaled(number, scale)
  if (scaled === null) {
    const beyond = number.isNegative ? -beyondAll : beyondAll
    return { from: beyond, to: beyond }
  }
  return { from: scaled.ceil, to: scaled.isExact ? scaled.ceil + 1n : scaled.ceil }
}

const beyondAll = 10n ** 100n

/** `range` in seconds; `write` gets ISO 8601 in UTC and the nine digits of the fraction. */
function timeTicks(
  nanosPerTick: bigint,
  range: readonly [bigint, bigint],
  write: (iso: string, fraction: string) => string,
): Ticks {
  const ceil = (nanos: bigint): bigint => -floorDiv(-nanos, nanosPerTick)
  return {
    least: ceil(range[0] * nanosPerSecond),
    greatest: ceil((range[1] + 1n) * nanosPerSecond) - 1n,
    literal(tick) {
      const nanos = tick * nanosPerTick
      const seconds = floorDiv(nanos, nanosPerSecond)
      const fraction = String(nanos - seconds * nanosPerSecond).padStart(9, '0')
      return write(new Date(Number(seconds) * 1000).toISOString(), fraction)
    },
    read({ text, at }) {
      const span = parseTime(text)
      if (span === null) throw invalidValue(`${shown(text)} is no time`, at)
      return { from: ceil(span.from), to: ceil(span.to) }
    },
  }
}

const floorDiv = (a: bigint, b: bigint): bigint => (a >= 0n ? a / b : -((-a + b - 1n) / b))

const seconds = (iso: string): bigint => BigInt(Date.parse(iso)) / 1000n

/** The ranges of the engine's types, in seconds since 1970. */
const secondRange = [0n, 4_294_967_295n] as const
const longRange = [seconds('1900-01-01T00:00:00Z'), seconds('2299-12-31T23:59:59Z')] as const
const nanoRange = [seconds('1900-01-01T00:00:00Z'), seconds('2262-04-11T23:47:15Z')] as const
const dateRanges = { Date: [0n, 65_535n * 86_400n + 86_399n], Date32: longRange } as const

/** A number as it is written, without loss: `digits` × 10^`exponent`. */
export interface ExactNumber {
  isNegative: boolean
  /** Without leading zeros; '' is zero. */
  digits: string
  exponent: number
}

/** `-?digits[.digits][e±digits]`; null for anything else. */
export function parseNumber(text: string): ExactNumber | null {
  const found = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)
  if (!found) return null
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = found
  return {
    isNegative: sign === '-',
    digits: `${whole}${fraction}`.replace(/^0+/, ''),
    exponent: Number(exponent) - fraction.length,
  }
}

/**
 * The number times 10^`scale`, rounded up to a whole number, and whether it was exact. A number with more
 * digits than any column holds gives null; its sign tells on which side it lies.
 */
export function ceilScaled(number: ExactNumber, scale: number): { ceil: bigint; isExact: boolean } | null {
  const { digits, isNegative } = number
  if (digits === '') return { ceil: 0n, isExact: true }
  const shift = number.exponent + scale
  if (digits.length + shift > mostDigits) return null
  if (shift >= 0) return { ceil: signed(digits + '0'.repeat(shift), isNegative), isExact: true }
  const cut = Math.max(0, digits.length + shift)
  const isExact = /^0*$/.test(digits.slice(cut))
  const truncated = signed(digits.slice(0, cut) || '0', isNegative)
  return { ceil: isExact || isNegative ? truncated : truncated + 1n, isExact }
}

const signed = (digits: string, isNegative: boolean): bigint =>
  isNegative ? -BigInt(digits) : BigInt(digits)

/** An Int256 has 78 digits. */
const mostDigits = 90

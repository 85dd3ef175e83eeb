/**
 * The value of one token, as the engine decodes it: the content of a string literal, a heredoc or a quoted
 * name. Any other token is its own value. Bytes written as `\xHH`, `x'…'` or `b'…'` are decoded as UTF-8.
 */
export function unquote(token: string): string {
  if (token.length < 2) return token
  const quote = token[0] ?? ''
  switch (quote) {
    case "'":
    case '"':
    case '`':
      return unescaped(token.slice(1, -1), quote)
    case '\u2018':
    case '\u201c':
      return token.slice(1, -1)
    case '$':
      return unwrapped(token)
  }
  if (token[1] !== "'" || !token.endsWith("'")) return token
  const digits = token.slice(2, -1)
  const bytes = quote === 'x' || quote === 'X' ? digits : binaryAsHex(digits)
  // With an odd number of digits, the first digit is a byte of its own.
  return utf8.decode(Buffer.from(bytes.length % 2 === 0 ? bytes : `0${bytes}`, 'hex'))
}

function unwrapped(token: string): string {
  const tagLength = token.indexOf('$', 1) + 1
  const isHeredoc =
    tagLength > 1 && token.length >= 2 * tagLength && token.endsWith(token.slice(0, tagLength))
  return isHeredoc ? token.slice(tagLength, -tagLength) : token
}

const binaryAsHex = (digits: string): string =>
  digits
    .padStart(Math.ceil(digits.length / 8) * 8, '0')
    .replace(/[01]{8}/g, (byte) => Number.parseInt(byte, 2).toString(16).padStart(2, '0'))

/** Works on bytes, as the engine does: after `\x` the engine takes any two bytes. */
function unescaped(text: string, quote: string): string {
  if (!text.includes('\\') && !text.includes(quote)) return text
  const source = Buffer.from(text)
  // An escape is never shorter than its value.
  const result = Buffer.allocUnsafe(source.length)
  let length = 0
  for (let i = 0; i < source.length; i++) {
    const byte = source[i] ?? 0
    if (byte !== 0x5c) {
      result[length++] = byte
      // A doubled quote stands for one quote.
      if (byte === quote.charCodeAt(0)) i++
      continue
    }
    const code = source[++i] ?? 0
    if (code === 0x78) result[length++] = 16 * digitOf(source[++i]) + digitOf(source[++i])
    else for (const meant of meaningOf(code)) result[length++] = meant
  }
  return utf8.decode(result.subarray(0, length))
}

function meaningOf(code: number): readonly number[] {
  const char = String.fromCharCode(code)
  const meaning = meanings[char]
  if (meaning !== undefined) return meaning
  // The backslash of an unknown escape stays.
  return '\\\'"`/='.includes(char) || code < 0x20 || code === 0x7f ? [code] : [0x5c, code]
}

/** Characters that are not hexadecimal digits count as 255. */
function digitOf(code = 0): number {
  const digit = Number.parseInt(String.fromCharCode(code), 16)
  return Number.isNaN(digit) ? 0xff : digit
}

/** `\N` means NULL and has no bytes. */
const meanings: Partial<Record<string, readonly number[]>> = {
  a: [0x07],
  b: [0x08],
  e: [0x1b],
  f: [0x0c],
  n: [0x0a],
  r: [0x0d],
  t: [0x09],
  v: [0x0b],
  '0': [0],
  N: [],
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** The end of the text quoted by the character at `at`, or -1 if it is not closed. */
export function quotedEnd(text: string, at: number): number {
  const quote = text.charCodeAt(at)
  for (let i = at + 1; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x5c) i++
    else if (code === quote) {
      if (text.charCodeAt(i + 1) !== quote) return i + 1
      i++
    }
  }
  return -1
}

/** Block comments nest. */
export function blockCommentEnd(text: string, at: number): number {
  let depth = 1
  for (let i = at + 2; i + 1 < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x2a && text.charCodeAt(i + 1) === 0x2f) {
      i++
      if (--depth === 0) return i + 1
    } else if (code === 0x2f && text.charCodeAt(i + 1) === 0x2a) {
      i++
      depth++
    }
  }
  return -1
}

export const isSpaceCode = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d)

/** Where the line ends, before its line feed. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}

/**
 * Digits with single underscores between them; `isFresh`: no digit precedes, so an underscore cannot come
 * first.
 */
export function digitsEnd(text: string, at: number, isHex: boolean, isFresh: boolean): number {
  const isMine = isHex ? isHexDigit : isDigit
  let end = at
  while (
    isMine(text.charCodeAt(end)) ||
    (text.charCodeAt(end) === 0x5f && !(isFresh && end === at) && isMine(text.charCodeAt(end + 1)))
  ) {
    end++
  }
  return end
}

/** The end of a number that starts with the digit at `at`. */
export function numeralEnd(text: string, at: number): number {
  const base = text.charCodeAt(at) === 0x30 ? text.charCodeAt(at + 1) | 0x20 : 0
  const third = text.charCodeAt(at + 2)
  const isHex = base === 0x78 && isHexDigit(third)
  const hasBase = isHex || (base === 0x62 && (third === 0x30 || third === 0x31))
  let end = digitsEnd(text, at + (hasBase ? 2 : 1), isHex, hasBase)
  if (text.charCodeAt(end) === 0x2e) end = digitsEnd(text, end + 1, isHex, true)
  return exponentEnd(text, end, isHex)
}

/** Skips an exponent if there is one. Its sign may lack digits: 1e--1 is 1e- and -1, not 1e and a comment. */
export function exponentEnd(text: string, at: number, isHex: boolean): number {
  if ((text.charCodeAt(at) | 0x20) !== (isHex ? 0x70 : 0x65) || at + 1 >= text.length) return at
  const sign = text.charCodeAt(at + 1)
  const isSigned = (sign === 0x2d || sign === 0x2b) && at + 2 < text.length
  return digitsEnd(text, at + (isSigned ? 2 : 1), false, true)
}

export function wordEnd(text: string, at: number): number {
  let end = at + 1
  // charCodeAt past the end gives NaN, which would slow down this loop, the busiest of all.
  while (end < text.length) {
    const code = text.charCodeAt(end)
    if (!isWordCode(code) && code !== 0x24) break
    end++
  }
  return end
}

/** Where letters, digits and underscores end; `at` if there are none. */
export function asciiWordEnd(text: string, at: number): number {
  let end = at
  while (isWordCode(text.charCodeAt(end))) end++
  return end
}

/** The end of x'6162' or b'01', which have no escapes; -1 if it is not closed, `at` if there is none. */
export function hexStringEnd(text: string, at: number): number {
  const base = text.charCodeAt(at) | 0x20
  if (text.charCodeAt(at + 1) !== 0x27 || (base !== 0x78 && base !== 0x62) || at + 2 >= text.length) return at
  let end = at + 2
  if (base === 0x78) while (isHexDigit(text.charCodeAt(end))) end++
  else while (text.charCodeAt(end) === 0x30 || text.charCodeAt(end) === 0x31) end++
  return text.charCodeAt(end) === 0x27 ? end + 1 : -1
}

/** The end of ‘text’ or “name”, which have no escapes; -1 if it is not closed, `at` if there is none. */
export function unicodeQuotedEnd(text: string, at: number): number {
  const opener = text.charCodeAt(at)
  const last = text.charCodeAt(at + 2)
  let closer = ''
  if (opener === 0x2018) closer = '\u2019'
  else if (opener === 0x201c) closer = '\u201d'
  else if (opener !== 0xe2 || text.charCodeAt(at + 1) !== 0x80) return at
  else if (last === 0x98) closer = '\u00e2\u0080\u0099'
  else if (last === 0x9c) closer = '\u00e2\u0080\u009d'
  else return at
  const end = text.indexOf(closer, at + closer.length)
  return end < 0 ? -1 : end + closer.length
}

/** Skips one space beyond ASCII, as a character or as its UTF-8 bytes; `at` if there is none. */
export function unicodeSpaceEnd(text: string, at: number): number {
  if (spaces.has(text[at] ?? '')) return at + 1
  if (spaceBytes.has(text.slice(at, at + 2))) return at + 2
  return spaceBytes.has(text.slice(at, at + 3)) ? at + 3 : at
}

export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

/** ASCII letters, digits and the underscore. */
export const isWordCode = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || isDigit(code) || code === 0x5f

const isHexDigit = (code: number): boolean =>
  isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66)

const spaces = new Set(
  '\u0085\u00a0\u180e\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u200c\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff',
)
const spaceBytes = new Set(
  Array.from(spaces, (space) => String.fromCharCode(...new TextEncoder().encode(space))),
)

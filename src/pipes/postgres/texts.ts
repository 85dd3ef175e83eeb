/** Texts of Postgres as fields of tab-separated lines, as the engine reads them. */

const [tab, newline, carriage, backslash, quote] = [0x09, 0x0a, 0x0d, 0x5c, 0x27]
export const nullField = Buffer.from('\\N')

/** Whether a field can be written as it is. */
export function isClean(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0
    if (byte === backslash || (byte < 0x20 && (byte === tab || byte === newline || byte === carriage)))
      return false
  }
  return true
}

export function escapeField(bytes: Uint8Array, start: number, end: number): Buffer {
  const text = Buffer.allocUnsafe(2 * (end - start))
  let used = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0
    const letter = escapes[byte]
    if (letter !== undefined) {
      text[used++] = backslash
      text[used++] = letter
    } else text[used++] = byte
  }
  return text.subarray(0, used)
}

const escapes: Record<number, number> = {
  [tab]: 0x74,
  [newline]: 0x6e,
  [carriage]: 0x72,
  [backslash]: backslash,
}

/** A field of COPY's text format without its escapes. */
export function unescapeField(field: string): string {
  if (!field.includes('\\')) return field
  return field.replace(/\\(.)/gs, (_, letter: string) => copyEscapes[letter] ?? letter)
}

const copyEscapes: Record<string, string> = {
  ...{ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
}

/** `{1,NULL,"a b"}` as `['1',NULL,'a b']`. Dimensions are flattened. */
export function arrayField(text: string): Buffer {
  const parts: string[] = []
  for (const element of readArray(text)) parts.push(element === null ? 'NULL' : `'${escapeText(element)}'`)
  return Buffer.from(`[${parts.join(',')}]`)
}

const escapeText = (text: string): string =>
  text.replace(/[\\'\t\n\r]/g, (char) => `\\${String.fromCharCode(escapes[char.charCodeAt(0)] ?? quote)}`)

export function readArray(text: string): (string | null)[] {
  const elements: (string | null)[] = []
  // Bounds may stand before the elements: `[0:1]={…}`.
  let at = text.indexOf('{')
  while (at >= 0 && at < text.length) {
    const char = text[at]
    if (char === '{' || char === '}' || char === ',') {
      at++
      continue
    }
    let element = ''
    const isQuoted = char === '"'
    if (isQuoted) at++
    for (; at < text.length; at++) {
      const next = text[at]
      if (next === '\\') element += text[++at] ?? ''
      else if (isQuoted ? next === '"' : next === ',' || next === '}') break
      else element += next
    }
    if (isQuoted) at++
    elements.push(!isQuoted && element === 'NULL' ? null : element)
  }
  return elements
}

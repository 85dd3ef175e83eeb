import { editDistance } from '../lib/nearest.ts'

/**
 * Makes foreign text safe for a terminal: control characters could move the cursor, recolour the text after them,
 * or hide it.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\r\n]+\s*/g, ' ').replaceAll(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, '\u{fffd}')
}

/** Columns that a text takes in a terminal. */
export function columnsOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let columns = 0
  for (const { segment } of graphemes.segment(text)) columns += wide.test(segment) ? 2 : 1
  return columns
}

export const padTo = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - columnsOf(text)))

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow'
/** Colours a text, or leaves it as it is. */
export type Paint = (style: Style, text: string) => string

export const plain: Paint = (_, text) => text
export const coloured: Paint = (style, text) => `\u001b[${codes[style]}m${text}\u001b[0m`

const codes: Record<Style, number> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 }
const graphemes = new Intl.Segmenter()
const wide =
  /\p{Emoji_Presentation}|\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}|[\uff01-\uff60]/u

/** The given name that a mistyped one most likely meant; undefined when none is close. */
export function nearest(given: string, names: readonly string[]): string | undefined {
  let best: { name: string; distance: number } | undefined
  for (const name of names) {
    const distance = editDistance(given.toLowerCase(), name.toLowerCase())
    if (distance <= Math.max(1, Math.floor(name.length / 3)) && distance < (best?.distance ?? Infinity)) {
      best = { name, distance }
    }
  }
  return best?.name
}

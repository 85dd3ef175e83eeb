/** A copied link has the text of the query in its fragment, which browsers send to nobody. */

const mostLetters = 16_000

/** `#q=…`; null = the text is too long for an address. */
export function linkOf(text: string): string | null {
  const fragment = `#q=${encodeURIComponent(text)}`
  return fragment.length > mostLetters ? null : fragment
}

/** The text of a link; null = the fragment is none. */
export function textOfLink(fragment: string): string | null {
  if (!fragment.startsWith('#q=')) return null
  try {
    return decodeURIComponent(fragment.slice(3))
  } catch {
    return null
  }
}

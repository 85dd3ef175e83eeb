/** How well a text fits what was typed, and where: for the command palette and filters. */
export interface Match {
  /** Higher is better: exact, then prefix, then the start of a word, then any substring, then letters in order. */
  score: number
  /** Positions in the text that fit, for marking. */
  at: readonly number[]
}

/** null = the text does not contain the letters of the query in their order. Case does not matter. */
export function fuzzyMatch(query: string, text: string): Match | null {
  const wanted = query.trim().toLowerCase()
  if (wanted === '') return { score: 0, at: [] }
  const given = text.toLowerCase()
  const found = given.indexOf(wanted)
  if (found >= 0) {
    const at = Array.from({ length: wanted.length }, (_, i) => found + i)
    if (given === wanted) return { score: 1000, at }
    if (found === 0) return { score: 800 - text.length, at }
    const startsWord = /[^\p{L}\p{N}]/u.test(given.charAt(found - 1))
    return { score: (startsWord ? 600 : 400) - text.length, at }
  }
  return lettersInOrder(wanted, given)
}

function lettersInOrder(wanted: string, given: string): Match | null {
  const at: number[] = []
  let from = 0
  for (const letter of wanted) {
    if (letter === ' ') continue
    const position = given.indexOf(letter, from)
    if (position < 0) return null
    at.push(position)
    from = position + 1
  }
  const spread = (at.at(-1) ?? 0) - (at[0] ?? 0)
  return { score: 200 - spread - given.length / 10, at }
}

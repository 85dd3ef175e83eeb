import type { Wanted } from './wanted.ts'

export interface Move {
  from: string
  to: string
  /** The table at `to` moves to `from` in the same step. */
  isExchange: boolean
}

/**
 * A table that the writer has renamed or exchanged, found by its definition, which carries its UUID. The reader renames
 * or exchanges it too, in one step and with its parts loaded. Null if there is none; tables in a cycle of more than two
 * are attached anew.
 */
export function nextMove(attached: ReadonlyMap<string, { text: string }>, wanted: Wanted): Move | null {
  const places = new Map<string, string>()
  for (const [name, { text, partsDir }] of wanted.objects) if (partsDir !== '') places.set(text, name)

  const placeOf = (name: string): string | undefined => {
    const text = attached.get(name)?.text
    // While the writer moves a table between databases, its definition may be in both.
    return text === undefined || wanted.objects.get(name)?.text === text ? undefined : places.get(text)
  }
  for (const from of attached.keys()) {
    const to = placeOf(from)
    if (to === undefined || to === from) continue
    if (!attached.has(to)) return { from, to, isExchange: false }
    if (placeOf(to) === from) return { from, to, isExchange: true }
  }
  return null
}

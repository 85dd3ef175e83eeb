import type { Wanted } from './wanted.ts'

export interface Move {
  from: string
  to: string
  /** Another table takes the place that this one leaves. */
  isExchange: boolean
}

/**
 * A table that the writer has renamed or exchanged, found by its definition, which carries its UUID: on the reader
 * it moves as it moved there, in one step and with its parts loaded. Null if there is none; those in a larger
 * circle are attached anew.
 */
export function nextMove(attached: ReadonlyMap<string, { text: string }>, wanted: Wanted): Move | null {
  const places = new Map<string, string>()
  for (const [name, { text, partsDir }] of wanted.objects) if (partsDir !== '') places.set(text, name)

  const placeOf = (name: string): string | undefined => {
    const text = attached.get(name)?.text
    // While the writer moves it between databases, it may be seen in both.
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

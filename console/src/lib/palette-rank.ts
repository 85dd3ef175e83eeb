import { fuzzyMatch } from './fuzzy.ts'

export interface PaletteItem {
  id: string
  /** `Go to events`, `Stop events`, `Reference: services.update`. */
  name: string
  /** Beside it, quieter: `service, running`. */
  note: string
  /** Further words that find it. */
  words?: string
  kind: 'page' | 'thing' | 'action' | 'reference' | 'help'
}

export interface RankedItem<T extends PaletteItem> {
  item: T
  /** Positions in the name that fit, for marking. */
  at: readonly number[]
}

/** How much a kind counts where texts fit alike: references are last. */
const weights = { page: 30, thing: 40, action: 20, reference: -200, help: 0 }

/**
 * The items that fit what was typed: used last, then exact, prefix and fuzzy. `>` shows actions only, `?` the keys.
 * Without a text the ones used last come first, and references stay away.
 */
export function rankItems<T extends PaletteItem>(
  items: readonly T[],
  typed: string,
  recent: readonly string[],
  most = 40,
): RankedItem<T>[] {
  const isActions = typed.startsWith('>')
  const isHelp = typed.startsWith('?')
  const text = typed.slice(isActions || isHelp ? 1 : 0).trim()
  const ranked: (RankedItem<T> & { score: number })[] = []
  for (const item of items) {
    if (isHelp !== (item.kind === 'help')) continue
    if (isActions && item.kind !== 'action') continue
    if (text === '' && item.kind === 'reference') continue
    const own = fuzzyMatch(text, item.name)
    const match = own ?? (item.words === undefined ? null : fuzzyMatch(text, item.words))
    if (!match) continue
    // Letters in order find almost any operation: a reference fits by a whole part of its name.
    if (item.kind === 'reference' && match.score < 250) continue
    const place = recent.indexOf(item.id)
    const bonus = place < 0 ? 0 : 100 - place
    ranked.push({ item, at: own?.at ?? [], score: match.score + bonus + weights[item.kind] })
  }
  // Help keeps its own order: it is a list to read.
  if (!(isHelp && text === '')) ranked.sort((one, other) => other.score - one.score)
  return ranked.slice(0, isHelp ? 200 : most)
}

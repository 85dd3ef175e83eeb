import { useState } from 'preact/hooks'

/** A list as text with commas between. While it is typed the text stays as it is: a comma at its end is no item yet. */
export function useListText(items: readonly string[], onItems: (items: string[]) => void) {
  const [typed, setTyped] = useState<string | null>(null)
  // What undo brought back is not what was typed.
  const isTyped = typed !== null && itemsOf(typed).join() === items.join()
  return {
    value: isTyped ? typed : items.join(', '),
    onChange: (text: string) => {
      setTyped(text)
      onItems(itemsOf(text))
    },
    onLeave: () => setTyped(null),
  }
}

const itemsOf = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)

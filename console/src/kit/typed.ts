import { useState } from 'preact/hooks'

/** What is typed and not taken yet stays, whatever is drawn anew meanwhile; it goes when the value becomes another. */
export function useTyped(value: string): [shown: string, setTyped: (text: string) => void] {
  const [typed, setTyped] = useState({ text: value, of: value })
  return [typed.of === value ? typed.text : value, (text) => setTyped({ text, of: value })]
}

import { effect, type Signal, signal } from '@preact/signals'

/**
 * A choice of this browser, kept over visits. Without storage it lasts as long as the page. Without `allowed` any text
 * is taken back.
 */
export function stored<T extends string>(name: string, fallback: T, allowed?: readonly T[]): Signal<T> {
  const key = `granary.${name}`
  const value = signal(fallback)
  try {
    const kept = localStorage.getItem(key) as T | null
    if (kept !== null && (allowed?.includes(kept) ?? true)) value.value = kept
    effect(() => localStorage.setItem(key, value.value))
  } catch {}
  return value
}

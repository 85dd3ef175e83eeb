/**
 * Keys of the whole page. Single keys do nothing while somebody types, in dialogs, and when they are switched off in
 * the settings; keys with Ctrl or ⌘ always work. Pages add their own with `useShortcuts`.
 */
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { stored } from '../lib/stored.ts'

export interface Shortcut {
  /** `c`, `Shift+K`, `Mod+k` (⌘ or Ctrl), or two keys one after the other: `g o`. */
  keys: string
  /** What it does, for the list of shortcuts. */
  name: string
  run(event: KeyboardEvent): void
}

export const singleKeys = stored('single-keys', 'on', ['on', 'off'])
/** All shortcuts that work now, in groups as they were added: the list that `?` shows. */
export const groups = signal<readonly { title: string; shortcuts: readonly Shortcut[] }[]>([])

/** Adds shortcuts while the component is there. Later ones win. */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts)
  latest.current = shortcuts
  const keys = shortcuts.map((one) => one.keys).join('|')
  // The keys stand for the shortcuts.
  useEffect(() => {
    const following = shortcuts.map((one, i) => ({
      ...one,
      run: (event: KeyboardEvent) => latest.current[i]?.run(event),
    }))
    return addShortcuts(title, following)
  }, [title, keys])
}

/** Returns the function that takes them away. */
export function addShortcuts(title: string, shortcuts: readonly Shortcut[]): () => void {
  const group = { title, shortcuts }
  groups.value = [...groups.value, group]
  return () => {
    groups.value = groups.value.filter((one) => one !== group)
  }
}

export function startShortcuts(): void {
  let prefix = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  document.addEventListener('keydown', (event) => {
    const pressed = keyOf(event)
    if (event.defaultPrevented || pressed === '' || event.isComposing) return
    const isSingle = !pressed.startsWith('Mod+')
    if (isSingle && (singleKeys.value === 'off' || isTyping(event.target) || isInDialog(event.target))) return
    const all = groups.value.flatMap((group) => group.shortcuts).reverse()
    const sequence = prefix === '' ? pressed : `${prefix} ${pressed}`
    clearTimeout(timer)
    prefix = ''
    const found = all.find((one) => one.keys === sequence) ?? all.find((one) => one.keys === pressed)
    if (found) {
      event.preventDefault()
      found.run(event)
    } else if (all.some((one) => one.keys.startsWith(`${pressed} `))) {
      prefix = pressed
      timer = setTimeout(() => {
        prefix = ''
      }, 1000)
    }
  })
}

/** `Mod+k`, `Shift+K`, `?`, `ArrowDown`; '' for a modifier alone. */
export function keyOf(
  event: Pick<KeyboardEvent, 'key' | 'metaKey' | 'ctrlKey' | 'altKey' | 'shiftKey'>,
): string {
  const { key, metaKey, ctrlKey, altKey, shiftKey } = event
  if (['Shift', 'Control', 'Alt', 'Meta', 'CapsLock', 'Dead'].includes(key)) return ''
  const parts = [
    ...(metaKey || ctrlKey ? ['Mod'] : []),
    ...(altKey ? ['Alt'] : []),
    // Shift is part of what a character is: `?` and `K` need no name for it.
    ...(shiftKey && key.length > 1 ? ['Shift'] : []),
    key,
  ]
  return parts.join('+')
}

/** How a shortcut is written on this machine. */
export function shownKeys(keys: string): string {
  const isMac = /mac|iphone|ipad/i.test(globalThis.navigator?.platform ?? '')
  return (
    keys
      .replace('Mod+', isMac ? '⌘' : 'Ctrl ')
      .replace('ArrowUp', '↑')
      .replace('ArrowDown', '↓')
      // A capital is written with its Shift, for Ctrl K is written with a capital too.
      .replace(/^(⌘|Ctrl )([A-Z])$/, '$1⇧$2')
      .replace(/^(⌘|Ctrl )(\w)$/, (_, mod: string, key: string) => mod + key.toUpperCase())
  )
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches('input:not([type=checkbox]), textarea, select, [data-typing]'))
  )
}

const isInDialog = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('dialog, [role="menu"]') !== null

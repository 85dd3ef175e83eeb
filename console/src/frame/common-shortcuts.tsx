import { navigate } from '../lib/address.ts'
import { openPalette } from './palette-state.ts'
import { moveInRows, openRowMenu } from './row-keys.ts'
import { seenSections } from './seen-sections.ts'
import { useShortcuts } from './shortcuts.ts'
import { nextTheme } from './theme.ts'

/** The keys that work on every page. */
export function CommonShortcuts() {
  useShortcuts('Everywhere', [
    { keys: 'Mod+k', name: 'Search or jump', run: () => openPalette() },
    { keys: '/', name: 'Filter the list', run: focusFilter },
    { keys: '?', name: 'This list', run: () => openPalette('?') },
    { keys: '.', name: 'Actions of the row or page', run: openRowMenu },
    { keys: 't', name: 'Change the theme', run: nextTheme },
    ...seenSections().map(({ key, name, href }) => ({
      keys: `g ${key}`,
      name: `Go to ${name}`,
      run: () => void navigate(href),
    })),
  ])
  useShortcuts('Lists', [
    { keys: 'j', name: 'Next row', run: () => moveInRows(1) },
    { keys: 'k', name: 'Previous row', run: () => moveInRows(-1) },
  ])
  return null
}

function focusFilter(): void {
  document.querySelector<HTMLElement>('[data-mark="filter"]')?.focus()
}

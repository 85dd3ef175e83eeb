import { effect } from '@preact/signals'
import { stored } from '../lib/stored.ts'

export type Theme = 'system' | 'light' | 'dark'
export const theme = stored<Theme>('theme', 'system', ['system', 'light', 'dark'])

export type Density = 'compact' | 'normal' | 'roomy'
export const density = stored<Density>('density', 'normal', ['compact', 'normal', 'roomy'])

const order: readonly Theme[] = ['system', 'light', 'dark']

export function nextTheme(): void {
  theme.value = order[(order.indexOf(theme.value) + 1) % order.length] ?? 'system'
}

/** The root element carries both choices; the style sheets do the rest. */
export function startTheme(): void {
  const root = document.documentElement
  effect(() => {
    if (theme.value === 'system') root.removeAttribute('data-theme')
    else root.setAttribute('data-theme', theme.value)
  })
  effect(() => root.setAttribute('data-density', density.value))
}

import { signal } from '@preact/signals'

/** The text with which the palette opens; null = it is closed. */
export const paletteText = signal<string | null>(null)

export function openPalette(text = ''): void {
  paletteText.value = text
}

export function closePalette(): void {
  paletteText.value = null
}

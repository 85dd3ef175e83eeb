import type { SeriesColour } from './chart-types.ts'

/**
 * Colours of the tokens as a canvas takes them. A raw custom property is the text `light-dark(…)`, so an element that
 * wears the colour is asked for what it came to.
 */
export interface ChartColours {
  of(token: string): string
}

export function readColours(host: HTMLElement): ChartColours {
  const probe = document.createElement('span')
  probe.hidden = true
  host.append(probe)
  const known = new Map<string, string>()
  return {
    of(token) {
      let colour = known.get(token)
      if (colour === undefined) {
        probe.style.color = `var(${token})`
        colour = getComputedStyle(probe).color
        known.set(token, colour)
      }
      return colour
    },
  }
}

/** The token of a series; beyond the palette it is grey. */
export const tokenOf = (colour: SeriesColour): string =>
  colour === 'other' || colour > 12 ? '--series-other' : `--series-${colour}`

/** The second half of the palette is told apart by dashes too. */
export const isDashed = (colour: SeriesColour): boolean => colour === 'other' || (colour > 6 && colour <= 12)

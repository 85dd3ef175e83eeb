import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** The typefaces of the console, under the names that the style gives them. */
const faces = [
  { family: 'Hanken Grotesk Variable', weight: '100 900', file: 'hanken-grotesk' },
  { family: 'Spline Sans Mono Variable', weight: '300 700', file: 'spline-sans-mono' },
]

/**
 * A script that gives the page its typefaces, 71 KB in all. Their bytes are in the script: the page stays one file, and its
 * policy needs no source of fonts. Without the script the page has the fonts of the system.
 */
export function typefaceScript(): string {
  const { resolve } = createRequire(import.meta.url)
  const given = faces.map(({ family, weight, file }) => {
    const path = resolve(`@fontsource-variable/${file}/files/${file}-latin-wght-normal.woff2`)
    return { family, weight, bytes: readFileSync(path).toString('base64') }
  })
  return `
for (const { family, weight, bytes } of ${JSON.stringify(given)}) {
  const face = new FontFace(family, Uint8Array.from(atob(bytes), (byte) => byte.charCodeAt(0)), { weight })
  face.load().then(() => document.fonts.add(face), () => {})
}
`
}

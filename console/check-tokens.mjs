// Holds tokens.css to its promises: WCAG contrast of every text, control and series colour in both themes, and the
// distance between series colours in normal, protan, deutan and tritan vision. Exit code 1 when one is broken.
// usage: node console/check-tokens.mjs [--markdown | --quiet]
import { readFileSync } from 'node:fs'

const css = readFileSync(new URL('src/styles/tokens.css', import.meta.url), 'utf8')
const number = String.raw`([\d.]+)`
const oklch = String.raw`oklch\(${number} ${number} ${number}\)`
const pattern = new RegExp(String.raw`--([\w-]+): light-dark\(\s*${oklch},\s*${oklch}\s*\)`, 'g')
const themes = { light: {}, dark: {} }
for (const [, name, ...n] of css.matchAll(pattern)) {
  if (name in themes.light) continue // the first definition; later ones are for more contrast
  themes.light[name] = n.slice(0, 3).map(Number)
  themes.dark[name] = n.slice(3).map(Number)
}
for (const theme of Object.values(themes)) theme.rest = theme['text-2']

const toLinear = ([L, C, h]) => {
  const a = C * Math.cos((h * Math.PI) / 180)
  const b = C * Math.sin((h * Math.PI) / 180)
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}
const clip = (rgb) => rgb.map((v) => Math.min(1, Math.max(0, v)))
const toOklab = ([r, g, b]) => {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ]
}
const luminance = (color) => {
  const [r, g, b] = clip(toLinear(color))
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
const contrast = (one, other) => {
  const [a, b] = [luminance(one), luminance(other)].sort((x, y) => y - x)
  return (a + 0.05) / (b + 0.05)
}

// Machado, Oliveira, Fernandes 2009, severity 1.0, on linear RGB.
const visions = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}
const see = (color, matrix) => {
  const rgb = clip(toLinear(color))
  return toOklab(clip(matrix.map((row) => row[0] * rgb[0] + row[1] * rgb[1] + row[2] * rgb[2])))
}
const distance = (a, b) => 100 * Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])

const surfaces = ['canvas', 'surface', 'raised', 'sunken', 'hover']
const states = ['ok', 'sleep', 'busy', 'warn', 'bad', 'rest']
const series = Array.from({ length: 12 }, (_, i) => `series-${i + 1}`)
const rules = [
  ['text', [...surfaces, 'selected'], 7],
  ['text-2', [...surfaces, 'selected'], 4.5],
  ['text-3', surfaces, 4.5],
  ['accent-text', [...surfaces, 'selected'], 4.5],
  ['on-accent', ['accent', 'accent-hover'], 7],
  ['on-bad-fill', ['bad-fill'], 4.5],
  ['line-control', ['surface', 'raised', 'sunken'], 3],
  ['accent-edge', ['surface', 'raised', 'sunken'], 3],
  ['focus', [...surfaces, 'selected'], 3],
  ...states.map((s) => [s, [...surfaces, `${s}-tint`], 4.5]),
  ...['keyword', 'function', 'string', 'number'].map((c) => [`code-${c}`, ['raised', 'sunken'], 4.5]),
  ...series.map((s) => [s, ['surface', 'raised'], 3]),
  ['series-other', ['surface', 'raised'], 3],
  ['chart-limit', ['raised'], 3],
]

// Filled marks (bars, histogram) step back to 82 % over --raised in the dark.
const rectangular = ([L, C, h]) => [L, C * Math.cos((h * Math.PI) / 180), C * Math.sin((h * Math.PI) / 180)]
const mixed = (one, other, share) => {
  const [L, a, b] = rectangular(one).map((v, i) => share * v + (1 - share) * rectangular(other)[i])
  return [L, Math.hypot(a, b), (Math.atan2(b, a) * 180) / Math.PI]
}

let broken = 0
const lines = []
for (const [ink, grounds, least] of rules) {
  const cells = Object.entries(themes).map(([name, theme]) => {
    const [ratio, ground] = grounds
      .map((g) => [contrast(theme[ink], theme[g]), g])
      .sort((a, b) => a[0] - b[0])[0]
    if (!(ratio >= least)) broken += 1
    const outside = toLinear(theme[ink]).some((v) => v < -0.002 || v > 1.002)
    if (outside) broken += 1
    return `${ratio.toFixed(2)} on ${ground}${ratio >= least ? '' : ' BROKEN'}${outside ? ` OUTSIDE sRGB (${name})` : ''}`
  })
  lines.push([ink, least, ...cells])
}
const fills = series.map((s) => [
  contrast(mixed(themes.dark[s], themes.dark.raised, 0.82), themes.dark.raised),
  s,
])
const [weakest, where] = fills.sort((a, b) => a[0] - b[0])[0]
if (weakest < 3) broken += 1
lines.push(['fills, 82 %', 3, 'as lines', `${weakest.toFixed(2)}, ${where}${weakest < 3 ? ' BROKEN' : ''}`])
const apart = (theme, count, matrix) => {
  const seen = series.slice(0, count).map((s) => see(theme[s], matrix))
  let least = [Number.POSITIVE_INFINITY]
  for (let i = 0; i < count; i += 1)
    for (let j = i + 1; j < count; j += 1) {
      const d = distance(seen[i], seen[j])
      if (d < least[0]) least = [d, i + 1, j + 1]
    }
  return least
}
for (const [vision, matrix] of Object.entries(visions)) {
  for (const [count, least] of [
    [6, 10],
    [12, 6.5],
  ]) {
    const cells = Object.values(themes).map((theme) => {
      const [d, i, j] = apart(theme, count, matrix)
      if (d < least) broken += 1
      return `${d.toFixed(1)} (${i}, ${j})${d < least ? ' BROKEN' : ''}`
    })
    lines.push([`series 1–${count}, ${vision}`, `ΔE ${least}`, ...cells])
  }
}

if (process.argv.includes('--markdown')) {
  console.log('| Ink | At least | Light: least, where | Dark: least, where |\n|---|---|---|---|')
  for (const row of lines) console.log(`| ${row.join(' | ')} |`)
} else if (broken > 0 || !process.argv.includes('--quiet')) {
  for (const [ink, least, light, dark] of lines)
    console.log(`${ink.padEnd(22)} ${String(least).padEnd(8)} light ${light.padEnd(28)} dark ${dark}`)
}
if (broken > 0) console.error(`${broken} broken`)
else if (!process.argv.includes('--quiet')) console.log('all promises kept')
process.exit(broken === 0 ? 0 : 1)

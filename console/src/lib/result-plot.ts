/** A result as lines over time: which columns can be drawn, which are drawn unless the person says otherwise. */

export interface PlotColumn {
  name: string
  type: string
}

export interface PlotChoice {
  x: string
  y: string
  /** The column whose values are lines of their own; '' = one line. */
  by: string
}

export interface PlotOptions {
  times: string[]
  numbers: string[]
  groups: string[]
}

const bare = (type: string): string => type.replaceAll(/LowCardinality\(|Nullable\(/g, '')
const isTime = ({ type }: PlotColumn): boolean => /^Date/.test(bare(type))
const isNumber = ({ type }: PlotColumn): boolean => /^(U?Int\d|Float|BFloat|Decimal)/.test(bare(type))
const isGroup = ({ type }: PlotColumn): boolean => /^(String|FixedString|Enum|Bool|UUID|IPv)/.test(bare(type))
const namesOf = (columns: readonly PlotColumn[]): string[] => [...new Set(columns.map(({ name }) => name))]

export const plotOptions = (columns: readonly PlotColumn[]): PlotOptions => ({
  times: namesOf(columns.filter(isTime)),
  numbers: namesOf(columns.filter(isNumber)),
  groups: namesOf(columns.filter(isGroup)),
})

/** The wish, as far as the result has it; null = there is nothing to draw. */
export function choosePlot(options: PlotOptions, wish: PlotChoice): PlotChoice | null {
  const pick = (wanted: string, names: readonly string[]) => (names.includes(wanted) ? wanted : names[0])
  const x = pick(wish.x, options.times)
  const y = pick(wish.y, options.numbers)
  if (x === undefined || y === undefined) return null
  return { x, y, by: wish.by === '-' ? '' : (pick(wish.by, options.groups) ?? '') }
}

export interface PlotData {
  times: number[]
  lines: { name: string; values: (number | null)[] }[]
  /** Lines beyond the most that are drawn. */
  hiddenLines: number
}

const mostLines = 50

/** Rows without a time are left out; of two rows with one time in one line the later one is drawn. */
export function plotData(
  columns: readonly PlotColumn[],
  rows: readonly (readonly unknown[])[],
  choice: PlotChoice,
): PlotData {
  const at = (name: string) => columns.findIndex((column) => column.name === name)
  const [x, y, by] = [at(choice.x), at(choice.y), choice.by === '' ? -1 : at(choice.by)]
  const found = new Map<string, Map<number, number>>()
  const times = new Set<number>()
  for (const row of rows) {
    const time = timeOf(row[x])
    const value = row[y] === null ? Number.NaN : Number(row[y])
    if (time === null) continue
    times.add(time)
    const name = by === -1 ? choice.y : String(row[by] ?? 'NULL') || '(empty)'
    const line = found.get(name) ?? new Map<number, number>()
    found.set(name, line)
    if (Number.isFinite(value)) line.set(time, value)
  }
  const sorted = [...times].sort((one, other) => one - other)
  const lines = [...found].map(([name, line]) => ({
    name,
    values: sorted.map((time) => line.get(time) ?? null),
  }))
  return {
    times: sorted,
    lines: lines.slice(0, mostLines),
    hiddenLines: Math.max(0, lines.length - mostLines),
  }
}

/** `2026-11-15 08:55:00`, `2026-11-15` and ISO 8601, in UTC where they name no zone. */
function timeOf(value: unknown): number | null {
  if (typeof value !== 'string') return null
  const iso = value.replace(' ', 'T')
  const ms = Date.parse(/T.*(Z|[+-]\d\d:?\d\d)$/.test(iso) || !iso.includes('T') ? iso : `${iso}Z`)
  return Number.isNaN(ms) ? null : ms
}

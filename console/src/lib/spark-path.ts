const width = 100
const height = 24
const margin = 1.2
const points = 40

/** Lines and the area beneath them in a box of 100 × 24, from zero. Nulls break the line; at most 40 points. */
export function sparkPaths(values: readonly (number | null)[]): { line: string; area: string } {
  const few = thinned(values)
  const top = Math.max(...few.filter((value) => value !== null), 0)
  const x = (i: number) => rounded(few.length > 1 ? (i / (few.length - 1)) * width : width / 2)
  const y = (value: number) =>
    rounded(top > 0 ? height - margin - (value / top) * (height - 2 * margin) : height - margin)
  let line = ''
  let area = ''
  for (const [from, to] of runsOf(few)) {
    const path = few
      .slice(from, to)
      .map((value, i) => `${i === 0 ? 'M' : 'L'}${x(from + i)} ${y(value ?? 0)}`)
      .join('')
    // A lone point is a short line, so that it is seen.
    line += to - from === 1 ? `${path}h1` : path
    if (to - from > 1) area += `${path}L${x(to - 1)} ${height}L${x(from)} ${height}Z`
  }
  return { line, area }
}

/** The mean of each of 40 parts; a part without any value is null. */
function thinned(values: readonly (number | null)[]): (number | null)[] {
  if (values.length <= points) return [...values]
  return Array.from({ length: points }, (_, i) => {
    const from = Math.floor((i * values.length) / points)
    const to = Math.floor(((i + 1) * values.length) / points)
    const part = values.slice(from, to).filter((value) => value !== null)
    return part.length === 0 ? null : part.reduce((sum, value) => sum + value, 0) / part.length
  })
}

function runsOf(values: readonly (number | null)[]): [number, number][] {
  const runs: [number, number][] = []
  for (let from = 0; from < values.length; from += 1) {
    if (values[from] === null) continue
    let to = from
    while (to < values.length && values[to] !== null) to += 1
    runs.push([from, to])
    from = to
  }
  return runs
}

const rounded = (value: number): number => Math.round(value * 10) / 10

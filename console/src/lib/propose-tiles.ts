/** Tiles that fit a source, by what its columns are called: a beginning, made of nothing but the source. */
export interface ProposableSource {
  name: string
  implicitColumn?: string
  timestampColumn?: string
}

export interface ProposedTile {
  name: string
  x: number
  y: number
  w: number
  h: number
  series: {
    type: 'time' | 'number' | 'table' | 'histogram' | 'search'
    dataSource: string
    aggFn: 'count' | 'p95' | ''
    where: string
    groupBy: string[]
    field?: string
    fields?: string[]
    alias?: string
    displayType?: 'stacked_bar'
  }[]
}

/** `fields` are those of the common names that the source has. */
export function proposeTiles(source: ProposableSource, fields: readonly string[]): ProposedTile[] {
  const { name: dataSource, implicitColumn = '', timestampColumn = '' } = source
  const has = (name: string) => fields.includes(name)
  const base = { dataSource, aggFn: 'count' as const, where: '', groupBy: [] as string[] }
  const by = has('level') ? 'level' : has('service') ? 'service' : has('host') ? 'host' : null
  const table = has('service') ? 'service' : by
  const tiles: ProposedTile['series'][] = [[{ ...base, type: 'number' }]]
  const names = ['Rows']
  const sizes: [number, number][] = [[6, 3]]
  const add = (name: string, size: [number, number], ...series: ProposedTile['series']) => {
    names.push(name)
    sizes.push(size)
    tiles.push(series)
  }
  if (has('level')) add('Errors', [6, 3], { ...base, type: 'number', where: 'level:error' })
  if (has('duration')) {
    add('p95 of duration', [6, 3], { ...base, type: 'number', aggFn: 'p95', field: 'duration' })
  }
  add(by ? `Rows by ${by}` : 'Rows over time', [14, 6], {
    ...{ ...base, type: 'time', groupBy: by ? [by] : [], displayType: 'stacked_bar' },
  })
  if (has('duration')) add('Duration', [10, 6], { ...base, type: 'histogram', field: 'duration' })
  if (table) add(`By ${table}`, [10, 6], { ...base, type: 'table', groupBy: [table] })
  const shown = [timestampColumn, ...(has('level') ? ['level'] : []), ...(has('service') ? ['service'] : [])]
  add('Newest rows', [24, 6], {
    ...{ ...base, type: 'search', aggFn: '' },
    fields: implicitColumn === '' ? [] : [...shown, implicitColumn].filter(Boolean),
  })
  return flowed(names, sizes, tiles)
}

/** From left to right, then the next row. */
function flowed(
  names: readonly string[],
  sizes: readonly [number, number][],
  all: readonly ProposedTile['series'][],
): ProposedTile[] {
  let x = 0
  let y = 0
  let height = 0
  return all.map((series, index) => {
    const [w, h] = sizes[index] ?? [12, 6]
    if (x + w > 24) {
      x = 0
      y += height
      height = 0
    }
    const tile = { name: names[index] ?? '', x, y, w, h, series }
    x += w
    height = Math.max(height, h)
    return tile
  })
}

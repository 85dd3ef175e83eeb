import { ownValue } from '../../../lib/own-value.ts'
import { dashboardLimits as limits } from '../limits.ts'
import type { SeriesInput, SeriesType, TileInput } from '../types.ts'
import { cut, isEmpty, type Json, listOf, objectOf, textOf } from './json.ts'
import { carryNumberFormat } from './number-format.ts'
import type { Report } from './report.ts'
import { carrySql, hasTimeBuckets, isClickHouse } from './sql.ts'

const typeOf: Record<string, SeriesType> = {
  ...{ timeseries: 'time', graph: 'time', barchart: 'table', table: 'table', logs: 'search' },
  ...{ stat: 'number', gauge: 'number', bargauge: 'number' },
}

/** What a panel becomes; null = it is not there, and the report says why. */
export function carryPanel(
  panel: Json,
  path: string,
  { dataSource, report }: { dataSource: string; report: Report },
): TileInput | null {
  const kind = textOf(panel['type'])
  const series = kind === 'text' ? carryText(panel) : carryQueries(panel, kind, path, dataSource, report)
  if (typeof series === 'string') {
    report.add(path, 'panel', series)
    return null
  }
  reportProperties(panel, path, report)
  const name = cut(textOf(panel['title']), limits.tileNameLength)
  return { name, ...carryPlace(panel['gridPos'], path, report), series }
}

function carryText(panel: Json): SeriesInput[] | string {
  const options = objectOf(panel['options'])
  const mode = textOf(options['mode']) || textOf(panel['mode']) || 'markdown'
  if (mode !== 'markdown') return `texts in ${mode} are not drawn here`
  const content = textOf(options['content']) || textOf(panel['content'])
  if (content.length > limits.contentLength)
    return `the text has more than ${limits.contentLength} characters`
  return [{ type: 'markdown', content }]
}

/** The series, or why the panel is not carried over. */
function carryQueries(
  panel: Json,
  kind: string,
  path: string,
  dataSource: string,
  report: Report,
): SeriesInput[] | string {
  const plain = ownValue(typeOf, kind)
  if (plain === undefined) return `${kind || 'unknown'} panels are not drawn here`
  const { statements, others } = readTargets(panel, path, report)
  if (statements.length === 0) return 'none of its queries is SQL on ClickHouse'
  for (const { at, message } of others) report.add(at, 'target', message)
  const isBars = kind === 'barchart' && statements.some(hasTimeBuckets)
  const type = isBars ? 'time' : plain
  const numberFormat = type === 'search' ? undefined : carryNumberFormat(panel['fieldConfig'], path, report)
  return statements.map((sql) => ({
    ...{ type, dataSource, sql },
    ...(isBars && { displayType: 'stacked_bar' as const }),
    ...(numberFormat && { numberFormat }),
  }))
}

/** The statements of the panel, and its queries that are none. */
function readTargets(panel: Json, path: string, report: Report) {
  const statements: string[] = []
  const others: { at: string; message: string }[] = []
  for (const [index, each] of listOf(panel['targets']).entries()) {
    const at = `${path}.targets[${index}]`
    const target = objectOf(each)
    const rawSql = textOf(target['rawSql'])
    const refusal = !isClickHouse(target['datasource'], panel['datasource'])
      ? 'its data source is not ClickHouse'
      : /^[\s;]*$/.test(rawSql)
        ? 'it has no SQL'
        : target['hide'] === true
          ? 'it is hidden'
          : statements.length >= limits.seriesPerTile
            ? `a tile has at most ${limits.seriesPerTile} series`
            : null
    const sql = refusal === null ? carrySql(rawSql, `${at}.rawSql`, report) : null
    if (sql !== null) statements.push(sql)
    else if (refusal !== null) others.push({ at, message: refusal })
  }
  return { statements, others }
}

function reportProperties(panel: Json, path: string, report: Report): void {
  const fieldConfig = objectOf(panel['fieldConfig'])
  const defaults = objectOf(fieldConfig['defaults'])
  for (const name of ['transformations', 'links', 'repeat', 'alert', 'timeFrom', 'timeShift', 'interval'])
    report.unlessEmpty(panel[name], `${path}.${name}`, name)
  report.unlessEmpty(panel['maxDataPoints'], `${path}.maxDataPoints`, 'maxDataPoints')
  report.unlessEmpty(panel['libraryPanel'], `${path}.libraryPanel`, 'libraryPanel')
  // Panels of the old kind `graph` have these beside their queries.
  report.unlessEmpty(panel['thresholds'], `${path}.thresholds`, 'thresholds')
  report.unlessEmpty(panel['seriesOverrides'], `${path}.seriesOverrides`, 'overrides')
  report.unlessEmpty(fieldConfig['overrides'], `${path}.fieldConfig.overrides`, 'overrides')
  for (const name of ['mappings', 'links', 'displayName', 'noValue'])
    report.unlessEmpty(defaults[name], `${path}.fieldConfig.defaults.${name}`, name)
  // The first step is the colour of everything.
  if (listOf(objectOf(defaults['thresholds'])['steps']).length > 1)
    report.add(`${path}.fieldConfig.defaults.thresholds`, 'thresholds', 'thresholds is not carried over')
}

function carryPlace(gridPos: unknown, path: string, report: Report): Pick<TileInput, 'x' | 'y' | 'w' | 'h'> {
  const given = objectOf(gridPos)
  const within = (name: string, least: number, most: number, otherwise: number) => {
    const value = given[name]
    const whole = typeof value === 'number' && Number.isFinite(value) ? Math.trunc(value) : otherwise
    return Math.min(Math.max(whole, least), most)
  }
  const x = within('x', 0, limits.gridColumns - 1, 0)
  const y = within('y', 0, limits.gridRows, 0)
  const w = Math.min(within('w', 1, limits.gridColumns, 12), limits.gridColumns - x)
  const h = within('h', 1, limits.gridRows, 8)
  const place = { x, y, w, h }
  const isKept = !isEmpty(given) && Object.entries(place).every(([name, value]) => given[name] === value)
  if (!isKept) {
    const message = isEmpty(given) ? 'the panel has no place of its own' : 'the tile is cut to the grid'
    report.add(`${path}.gridPos`, 'gridPos', message)
  }
  return place
}

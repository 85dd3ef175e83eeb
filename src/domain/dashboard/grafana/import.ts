import type { Issue } from '../../issue.ts'
import { dashboardLimits as limits } from '../limits.ts'
import { readRefresh, timeRangeIssues } from '../time-range.ts'
import type { DashboardInput, TileInput } from '../types.ts'
import { cut, isEmpty, isObject, type Json, listOf, objectOf, textOf } from './json.ts'
import { carryPanel } from './panel.ts'
import { createReport, type Report, type ReportEntry } from './report.ts'
import { carryVariables } from './variables.ts'

export interface Imported {
  /** A body that the creation of a dashboard takes. */
  body: DashboardInput
  /** What is not carried over, in the order of the imported dashboard. */
  report: ReportEntry[]
}

/**
 * Turns a Grafana dashboard (classic JSON) into the body of a dashboard. Everything that is in it and not in the body
 * is in the report, except for empty values and mere looks.
 */
export function importGrafana(
  given: unknown,
  { dataSource, nowMs }: { dataSource: string; nowMs: number },
): Imported | Issue[] {
  if (!isObject(given) || !isClassic(given)) {
    const message = 'is no Grafana dashboard in classic JSON: it needs a title and panels'
    return [{ path: ['dashboard'], code: 'invalid_value', message }]
  }
  const entries: ReportEntry[] = []
  const report = createReport(entries)
  const extras = {
    ...carryTime(given['time'], nowMs, report),
    ...carryRefresh(given['refresh'], report),
  }
  const tags = carryTags(given['tags'], report)
  for (const [index, each] of listOf(objectOf(given['annotations'])['list']).entries()) {
    // Grafana puts its own annotations into every dashboard.
    if (objectOf(each)['builtIn'] === 1) continue
    report.add(`annotations.list[${index}]`, 'annotations', 'annotations is not carried over')
  }
  report.unlessEmpty(given['links'], 'links', 'links')
  const variables = carryVariables(given['templating'], dataSource, report)
  const tiles = carryPanels(given, dataSource, entries)
  const name = cut(textOf(given['title']).trim(), limits.nameLength)
  const body = { name, tiles, tags, ...extras, ...(variables.length > 0 && { variables }) }
  return { body, report: entries }
}

const isClassic = (given: Json): boolean =>
  textOf(given['title']).trim() !== '' &&
  (Array.isArray(given['panels']) || (given['panels'] === undefined && 'schemaVersion' in given))

function carryPanels(given: Json, dataSource: string, entries: ReportEntry[]): TileInput[] {
  const tiles: TileInput[] = []
  const take = (value: unknown, path: string): void => {
    const panel = objectOf(value)
    const report = createReport(entries, typeof panel['id'] === 'number' ? panel['id'] : null)
    if (panel['type'] === 'row') {
      report.add(path, 'row', 'rows are not drawn here; their panels are')
      report.unlessEmpty(panel['repeat'], `${path}.repeat`, 'repeat')
      for (const [index, each] of listOf(panel['panels']).entries()) take(each, `${path}.panels[${index}]`)
      return
    }
    if (tiles.length >= limits.tiles) {
      report.add(path, 'panel', `a dashboard has at most ${limits.tiles} tiles`)
      return
    }
    const tile = carryPanel(panel, path, { dataSource, report })
    if (tile) tiles.push(tile)
  }
  for (const [index, each] of listOf(given['panels']).entries()) take(each, `panels[${index}]`)
  // Before its fifth version Grafana kept panels in rows.
  const report = createReport(entries)
  for (const index of listOf(given['rows']).keys())
    report.add(
      `rows[${index}]`,
      'row',
      'rows of old dashboards are not carried over: save it in a newer Grafana',
    )
  return tiles
}

function carryTime(time: unknown, nowMs: number, report: Report): Pick<DashboardInput, 'timeRange'> {
  if (isEmpty(time)) return {}
  const timeRange = { from: textOf(objectOf(time)['from']), to: textOf(objectOf(time)['to']) }
  if (timeRangeIssues(timeRange, nowMs).length === 0) return { timeRange }
  report.add('time', 'timeRange', 'the range is none of now, now-<n><s|m|h|d|w> and ISO 8601')
  return {}
}

function carryRefresh(refresh: unknown, report: Report): Pick<DashboardInput, 'refresh'> {
  if (isEmpty(refresh)) return {}
  const text = textOf(refresh)
  if (readRefresh(text) !== null) return { refresh: text }
  report.add('refresh', 'refresh', 'the interval is not between 5s and 24h')
  return {}
}

function carryTags(tags: unknown, report: Report): string[] {
  const texts = listOf(tags).filter((tag): tag is string => typeof tag === 'string' && tag !== '')
  const kept = [...new Set(texts)].filter((tag) => [...tag].length <= limits.tagLength).slice(0, limits.tags)
  if (kept.length < new Set(texts).size) {
    const message = `a dashboard has at most ${limits.tags} tags of at most ${limits.tagLength} characters`
    report.add('tags', 'tags', message)
  }
  return kept
}

import type { ResultOf } from '../../api/operations.ts'
import { formatPath } from '../../domain/issue.ts'
import type { Form } from '../output.ts'
import { relativeTime } from '../units.ts'

type Dashboard = ResultOf<'dashboards.import'>['dashboard']

export function dashboardsTable(form: Form, dashboards: readonly Dashboard[]): string {
  if (dashboards.length === 0) return 'no dashboards yet: granary dashboards create --file <path>'
  const rows = dashboards.map(({ id, name, tiles, tags }) => [
    name,
    String(tiles.length),
    tags.join(', '),
    id ?? '',
  ])
  return form.table(['NAME', 'TILES', 'TAGS', 'ID'], rows)
}

export function dashboardBlock(form: Form, { id, name, tiles, tags }: Dashboard): string {
  const head = form.block([
    ['id', id ?? 'not stored'],
    ['name', name],
    ['tags', tags.join(', ')],
    ['tiles', String(tiles.length)],
  ])
  if (tiles.length === 0) return head
  const rows = tiles.map((tile) => [
    tile.name,
    tile.series[0]?.type ?? '',
    `${tile.x},${tile.y}`,
    `${tile.w}×${tile.h}`,
    tile.series.map(({ aggFn, dataSource }) => [aggFn, dataSource].filter(Boolean).join(' of ')).join('; '),
    tile.id ?? '',
  ])
  return `${head}\n\n${form.table(['TILE', 'TYPE', 'AT', 'SIZE', 'SERIES', 'ID'], rows)}`
}

export function versionsTable(form: Form, versions: ResultOf<'dashboards.listVersions'>): string {
  const rows = versions.map(({ version, savedAt, savedBy, name, tiles }) => [
    ...[String(version), relativeTime(savedAt, form.nowMs), savedBy, name, String(tiles)],
  ])
  return form.table(['VERSION', 'SAVED', 'BY', 'NAME', 'TILES'], rows)
}

export function checkBlock(_form: Form, check: ResultOf<'dashboards.validate'>): string {
  const lines = (kind: string, issues: typeof check.errors) =>
    issues.map(({ path, message }) => `${kind}: ${formatPath(path)}: ${message}`)
  const found = [...lines('error', check.errors), ...lines('warning', check.warnings)]
  return [check.valid ? 'the dashboard would be stored' : 'the dashboard would be refused', ...found].join(
    '\n',
  )
}

export function importBlock(form: Form, { dashboard, report }: ResultOf<'dashboards.import'>): string {
  const shown = dashboardBlock(form, dashboard)
  if (report.length === 0) return shown
  const rows = report.map(({ path, what, message }) => [path, what, message])
  return `${shown}\n\n${form.table(['NOT CARRIED OVER', 'WHAT', 'WHY'], rows)}`
}

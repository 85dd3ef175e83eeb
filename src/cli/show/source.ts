import type { ResultOf } from '../../api/operations.ts'
import type { Form } from '../output.ts'
import { fullTime } from '../units.ts'

type Source = ResultOf<'sources.get'>

export function sourcesTable(form: Form, sources: readonly Source[]): string {
  if (sources.length === 0) return 'no sources yet: granary sources proposals'
  const rows = sources.map((source) => [
    ...[source.name, source.kind, `${source.database}.${source.table}`, source.timestampColumn],
    ...[source.isDefault ? 'default' : '', source.id],
  ])
  return form.table(['NAME', 'KIND', 'TABLE', 'TIME', '', 'ID'], rows)
}

export function proposalsTable(form: Form, proposals: ResultOf<'sources.proposals'>): string {
  if (proposals.length === 0) return 'every table with a time column has a source'
  const rows = proposals.map(({ name, kind = 'events', timestampColumn = '', serviceId }) => [
    ...[name, kind, timestampColumn, serviceId],
  ])
  return form.table(['TABLE', 'KIND', 'TIME', 'SERVICE'], rows)
}

export function sourceBlock(form: Form, source: Source): string {
  const aliases = Object.entries(source.aliases).map(([alias, target]) => `${alias} = ${target}`)
  return form.block([
    ['id', source.id],
    ['name', source.name],
    ['kind', source.kind],
    ['default', source.isDefault ? 'yes' : 'no'],
    ['service', source.serviceId],
    ['table', `${source.database}.${source.table}`],
    ['time', source.timestampColumn],
    ['words search', source.implicitColumn || 'nothing'],
    ['aliases', aliases.length > 0 ? aliases : 'none'],
    ['created', fullTime(source.createdAt, form.nowMs)],
    ['changed', fullTime(source.updatedAt, form.nowMs)],
  ])
}

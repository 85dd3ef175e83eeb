import type { ResultOf } from '../../api/operations.ts'
import type { ShowContext } from '../operation-command.ts'
import type { Form } from '../output.ts'
import { fullTime, relativeTime } from '../units.ts'
import { cut, shownRaw, shownReason } from './pipe-records.ts'
import { statsPairs } from './pipe-stats.ts'
import { explained, stateCell } from './state.ts'

type Pipe = ResultOf<'pipes.get'>

export function pipesTable(form: Form, pipes: readonly Pipe[]): string {
  if (pipes.length === 0) return 'no pipes on this service yet'
  const headings = ['NAME', 'STATE', 'SOURCE', 'DESTINATION', 'CHANGED', 'ID']
  const rows = pipes.map((pipe) => [
    pipe.name,
    stateCell(pipe.state),
    sourceOf(pipe)[0] ?? '',
    destinationOf(pipe)[0] ?? '',
    relativeTime(pipe.updatedAt, form.nowMs),
    pipe.id,
  ])
  return form.table(headings, rows)
}

/** With the service of each, and what it does. */
export function allPipesTable(form: Form, pipes: ResultOf<'organizations.pipes'>): string {
  if (pipes.length === 0) return 'no pipes yet'
  const headings = ['SERVICE', 'NAME', 'STATE', 'SOURCE', 'DESTINATION', 'ROWS/S', 'BEHIND', 'ID']
  const rows = pipes.map((pipe) => [
    pipe.serviceName,
    pipe.name,
    stateCell(pipe.state),
    sourceOf(pipe)[0] ?? '',
    destinationOf(pipe)[0] ?? '',
    pipe.stats ? String(Math.round(pipe.stats.rowsPerSecond)) : '',
    pipe.stats?.lagRecords == null ? '' : String(pipe.stats.lagRecords),
    pipe.id,
  ])
  return form.table(headings, rows)
}

export function pipeBlock(form: Form, pipe: Pipe): string {
  const { replicas, replicaCpuMillicores, replicaMemoryGb } = pipe.scaling
  return form.block([
    ['id', pipe.id],
    ['service', pipe.serviceId],
    ['name', pipe.name],
    ['state', explained(pipe.state, pipe.reason)],
    ['source', sourceOf(pipe)],
    ['destination', destinationOf(pipe)],
    ['columns', pipe.destination.columns.map(({ name, type }) => `${name} ${type}`)],
    ...statsPairs(pipe),
    ['workers', `${replicas} × ${replicaCpuMillicores} millicores, ${replicaMemoryGb} GB`],
    ['created', fullTime(pipe.createdAt, form.nowMs)],
    ['changed', fullTime(pipe.updatedAt, form.nowMs)],
  ])
}

export function schemaTables(
  form: Form,
  { fields, records, rows = [] }: ResultOf<'pipes.discoverSchema'>,
  { body }: ShowContext<'pipes.discoverSchema'>,
): string {
  if (fields.length === 0 && rows.length === 0) return 'the records have no fields'
  const cell = (value: string | null | undefined): string => cut(value ?? 'NULL', shownValue)
  const found = fields.map(({ name, type }, index) => [name, type, cell(records[0]?.[index])])
  const names = body?.destination?.columns?.map(({ name }) => name) ?? []
  const good = rows.filter(({ reason }) => reason === null).map(({ values }) => values.map(cell))
  const bad = rows.flatMap(({ reason, field, raw }) =>
    reason === null ? [] : [[cut(reason, shownReason), field ?? '', cut(raw ?? '', shownRaw)]],
  )
  const parts = fields.length > 0 ? [form.table(['FIELD', 'TYPE', 'FIRST RECORD'], found)] : []
  if (good.length > 0) parts.push(`The first records become:\n${form.table(names, good)}`)
  if (bad.length > 0)
    parts.push(`These would be rejected:\n${form.table(['REASON', 'FIELD', 'RECORD'], bad)}`)
  return parts.join('\n\n')
}

const shownValue = 40

export const pipeLine = ({ name, id, state, reason }: Pipe): string =>
  `pipe ${name} (${id}) is ${state}${reason ? `: ${reason}` : ''}`

export function settingsBlock(form: Form, settings: ResultOf<'pipes.getSettings'>): string {
  return form.block(Object.entries(settings).map(([name, value]) => [name, String(value)]))
}

/** Kind and location of the source. */
function sourceOf({ source: { kafka, objectStorage, kinesis, postgres } }: Pipe): string[] {
  if (kafka) return [`kafka ${kafka.topics}`, `at ${kafka.brokers}`]
  if (objectStorage) return [`${objectStorage.type} ${objectStorage.url || objectStorage.path}`]
  if (kinesis) return [`kinesis ${kinesis.streamName}`, `in ${kinesis.region}`]
  if (postgres) return [`postgres ${postgres.database}`, `at ${postgres.host}:${postgres.port}`]
  return []
}

/** Database pipes fill one table for each source table. */
function destinationOf({ destination: { database, table }, source: { postgres } }: Pipe): string[] {
  if (!postgres) return [`${database}.${table}`]
  const tables = postgres.tableMappings.map(
    ({ sourceSchemaName, sourceTable, targetTable }) =>
      `${database}.${targetTable} from ${sourceSchemaName}.${sourceTable}`,
  )
  return [`${database}: ${tables.length} ${tables.length === 1 ? 'table' : 'tables'}`, ...tables]
}

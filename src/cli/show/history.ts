import type { ResultOf } from '../../api/operations.ts'
import type { Form } from '../output.ts'
import { bytes } from '../units.ts'

/** The steps in which something ran, oldest first. */
function stepsTable(
  form: Form,
  { times, stepSeconds }: { times: readonly string[]; stepSeconds: number },
  columns: readonly (readonly [heading: string, cell: (index: number) => string])[],
  ran: (index: number) => boolean,
): string {
  const rows = times.flatMap((time, index) =>
    ran(index) ? [[time.slice(0, 16).replace('T', ' '), ...columns.map(([, cell]) => cell(index))]] : [],
  )
  if (rows.length === 0) return 'nothing ran in this time'
  const table = form.table(['TIME (UTC)', ...columns.map(([heading]) => heading)], rows)
  return `${table}\nin steps of ${stepSeconds / 60} min`
}

const number = (values: readonly (number | null)[]) => (index: number) => String(values[index] ?? '')
const size = (values: readonly (number | null)[]) => (index: number) =>
  values[index] == null ? '' : bytes(values[index])

export function serviceHistoryTable(form: Form, history: ResultOf<'services.history'>): string {
  const { replicas, memoryLimitBytes, queries, rowsRead, rowsWritten, storedBytes } = history
  const columns = [
    ...replicas.map(({ name, memoryBytes }) => [`MEMORY ${name}`, size(memoryBytes)] as const),
    ['LIMIT', size(memoryLimitBytes)] as const,
    ['QUERIES', number(queries)] as const,
    ['READ', number(rowsRead)] as const,
    ['WRITTEN', number(rowsWritten)] as const,
    ['STORED', size(storedBytes)] as const,
  ]
  const table = stepsTable(form, history, columns, (index) => memoryLimitBytes[index] != null)
  const asleep = history.asleep.map(({ from, to }) => `asleep ${from} to ${to}`)
  const changes = history.changes.map(({ at, kind, reason }) => `${at} ${kind}${reason ? `: ${reason}` : ''}`)
  return [table, ...asleep, ...changes].join('\n')
}

export function pipeHistoryTable(form: Form, history: ResultOf<'pipes.history'>): string {
  const { recordsIn, recordsWritten, bytesIn, behindRecords, behindSeconds, rejected } = history
  const columns = [
    ['IN', number(recordsIn)] as const,
    ['WRITTEN', number(recordsWritten)] as const,
    ['BYTES', size(bytesIn)] as const,
    ['REJECTED', number(rejected)] as const,
    ['BEHIND', number(behindRecords)] as const,
    ['BEHIND (S)', number(behindSeconds)] as const,
  ]
  const ran = (index: number) => (recordsIn[index] ?? 0) > 0 || behindRecords[index] != null
  return stepsTable(form, history, columns, ran)
}

export function organizationHistoryTable(form: Form, history: ResultOf<'organizations.history'>): string {
  const { memoryBytes, memoryLimitBytes, queries, rowsWritten, storedBytes } = history
  const columns = [
    ['MEMORY', size(memoryBytes)] as const,
    ['LIMIT', size(memoryLimitBytes)] as const,
    ['QUERIES', number(queries)] as const,
    ['WRITTEN', number(rowsWritten)] as const,
    ['STORED', size(storedBytes)] as const,
  ]
  return stepsTable(form, history, columns, (index) => (memoryLimitBytes[index] ?? 0) > 0)
}

import type { ResultOf } from '../../api/operations.ts'
import type { Form } from '../output.ts'
import { fullTime, relativeTime } from '../units.ts'

type NamedQuery = ResultOf<'queries.get'>

export function namedQueriesTable(form: Form, queries: readonly NamedQuery[]): string {
  if (queries.length === 0) return 'no named queries: granary queries create --name <name> --file <path>'
  const rows = queries.map(({ name, text, updatedAt, id }) => [
    name,
    relativeTime(updatedAt, form.nowMs),
    id,
    shortened(text),
  ])
  return form.table(['NAME', 'CHANGED', 'ID', 'QUERY'], rows)
}

export function namedQueryBlock(form: Form, query: NamedQuery): string {
  const facts = form.block([
    ['id', query.id],
    ['name', query.name],
    ['service', query.serviceId ?? ''],
    ['changed', fullTime(query.updatedAt, form.nowMs)],
  ])
  return `${facts}\n\n${query.text}`
}

const shownCharacters = 60

function shortened(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  return line.length > shownCharacters ? `${line.slice(0, shownCharacters)}…` : line
}

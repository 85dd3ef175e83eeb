import type { Result } from '../../api/operations.ts'
import type { Column } from '../../kit/data-table.tsx'
import { Named } from '../../kit/named.tsx'
import { pipeLooks } from '../../kit/states.ts'
import { behindOf } from '../../lib/behind.ts'
import { formatCount, formatRate } from '../../lib/numbers.ts'
import { sourceKindOf, sourceKinds } from '../../lib/source-kinds.ts'

export type Pipe = Result<'organizations.pipes'>[number]

/** A pipe in a row: what it does, from where, how fast, how far behind. */
export const pipeColumns: Column<Pipe>[] = [
  {
    ...{ id: 'name', label: 'Pipe', card: 'head' as const, sortBy: ({ name }: Pipe) => name },
    cell: ({ id, serviceId, name, state, reason }) => (
      <Named
        look={pipeLooks[state]}
        value={state}
        name={name}
        href={`/services/${serviceId}/pipes/${id}`}
        reason={reason}
      />
    ),
  },
  {
    ...{ id: 'from', label: 'From', sortBy: ({ source }: Pipe) => sourceKinds[sourceKindOf(source)].name },
    cell: ({ source }) => sourceKinds[sourceKindOf(source)].name,
  },
  {
    ...{ id: 'to', label: 'To', sortBy: ({ serviceName }: Pipe) => serviceName },
    cell: ({ serviceName, destination }) =>
      `${serviceName}${destination.table ? ` · ${destination.table}` : ''}`,
  },
  {
    ...{ id: 'rate', label: 'Rate', isNumber: true, sortBy: ({ stats }: Pipe) => stats?.rowsPerSecond ?? -1 },
    cell: ({ stats }) => (stats ? formatRate(stats.rowsPerSecond) : '–'),
  },
  { id: 'behind', label: 'Behind', isNumber: true, cell: ({ stats }) => behindOf(stats) },
  {
    ...{
      id: 'rejected',
      label: 'Rejected',
      isNumber: true,
      sortBy: ({ stats }: Pipe) => stats?.rejected ?? -1,
    },
    cell: ({ stats }) => (stats ? formatCount(stats.rejected) : '–'),
  },
]

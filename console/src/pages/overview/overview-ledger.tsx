import { useResource } from '../../api/resource.ts'
import { Ledger } from '../../kit/ledger.tsx'
import { lastOf, perSecond } from '../../lib/courses.ts'
import { bytesFigure, formatCount, formatExact, formatGb, gbOfBytes } from '../../lib/numbers.ts'

/** Four figures of the whole organization with the course of 24 hours. */
export function OverviewLedger() {
  const history = useResource('organizations.history', { query: { range: '24h' } }).data.value
  const queries = history && perSecond(history.queries, history.stepSeconds)
  const rows = history && perSecond(history.rowsWritten, history.stepSeconds)
  const used = lastOf(history?.memoryBytes)
  const limit = lastOf(history?.memoryLimitBytes)
  const stored = lastOf(history?.storedBytes)
  const size = stored === null ? null : bytesFigure(stored)
  return (
    <Ledger
      items={[
        { name: 'Queries', ...rate(queries), course: queries },
        { name: 'Rows arriving', ...rate(rows), href: '/pipes', course: rows },
        {
          name: 'Memory in use',
          value: used === null ? '–' : formatGb(gbOfBytes(used)),
          unit: limit === null ? 'GB' : `of ${formatGb(gbOfBytes(limit))} GB`,
          exact: used === null ? undefined : `${formatExact(used)} bytes`,
          course: history?.memoryBytes,
        },
        {
          name: 'Stored',
          value: size?.value ?? '–',
          unit: size?.unit,
          exact: stored === null ? undefined : `${formatExact(stored)} bytes`,
          course: history?.storedBytes,
        },
      ]}
    />
  )
}

function rate(values: (number | null)[] | undefined) {
  const last = lastOf(values)
  return { value: last === null ? '–' : formatCount(last), unit: 'per second' }
}

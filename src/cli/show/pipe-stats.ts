import type { ResultOf } from '../../api/operations.ts'
import { bytes, count, duration } from '../units.ts'

type Pipe = ResultOf<'pipes.get'>
type Stats = NonNullable<Pipe['stats']>

/** What a pipe does and has done, for its block. */
export function statsPairs({ stats }: Pipe): [string, string | string[]][] {
  if (!stats) return []
  const { rows, rejected, lastError, delivery, waiting, facts } = stats
  return [
    ['written', `${count(rows)} rows, ${bytes(stats.bytes)} read`],
    ['rejected', rejected > 0 ? `${count(rejected)} records` : ''],
    ['rate', rateOf(stats)],
    ['behind', lagOf(stats)],
    ['delivery', delivery.replaceAll('_', ' ')],
    ['waits for', waiting],
    ['last error', lastError ? `${lastError.message} (${lastError.at})` : ''],
    [
      'source says',
      Object.entries(facts).flatMap(([name, value]) => (value === '' ? [] : `${words(name)} ${value}`)),
    ],
  ]
}

/** `objectsRead` as "objects read". */
const words = (name: string): string => name.replaceAll(/[A-Z]+/g, (letters) => ` ${letters.toLowerCase()}`)

/** The pipe in one line, as it is now. */
export function watchLine(pipe: Pipe): string {
  const { state, reason, stats } = pipe
  if (!stats) return reason ? `${state}: ${reason}` : state
  const rejected = stats.rejected > 0 ? `, ${count(stats.rejected)} rejected` : ''
  const behind = lagOf(stats)
  return `${state}: ${rateOf(stats)}, ${behind === '' ? '' : `${behind} behind, `}${count(stats.rows)} rows in all${rejected}`
}

const rateOf = ({ rowsPerSecond, bytesPerSecond }: Stats): string =>
  `${count(Math.round(rowsPerSecond))} rows/s, ${bytes(Math.round(bytesPerSecond))}/s`

function lagOf({ lagRecords, lagMs }: Stats): string {
  const records = lagRecords === null ? [] : [`${count(lagRecords)} records`]
  const time = lagMs === null ? [] : [duration(lagMs)]
  return [...records, ...time].join(', ')
}

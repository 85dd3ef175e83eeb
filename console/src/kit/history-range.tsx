import type { QueryValue } from '../lib/url-state.ts'
import { Segment } from './segment.tsx'

/** The ranges for which the server keeps the past of services and pipes. */
export type HistoryRange = '1h' | '24h' | '30h'

const ranges: readonly HistoryRange[] = ['1h', '24h', '30h']

export const rangeOf = ({ value }: QueryValue): HistoryRange => ranges.find((one) => one === value) ?? '24h'

export function HistoryRangeChoice({ query }: { query: QueryValue }) {
  return (
    <Segment<HistoryRange>
      label="Range"
      value={rangeOf(query)}
      options={ranges.map((value) => ({ value, name: value.replace('h', ' h') }))}
      onChange={(value) => query.set(value)}
    />
  )
}

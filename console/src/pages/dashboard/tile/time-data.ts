import type { ChartSeries } from '../../../charts/chart-types.ts'
import type { GroupColours } from '../../../charts/group-colours.ts'
import type { Answer, Row } from '../dashboard-types.ts'

export interface TimeData {
  times: number[]
  series: ChartSeries[]
}

interface Line {
  name: string
  isOther: boolean
  /** The field of a row that holds the line's value. */
  field: string
  values: (number | null)[]
}

/** Rows of a time tile as lines: one for each group and series. A group keeps its colour on the whole dashboard. */
export function timeDataOf({ rows, meta }: Answer, colours: GroupColours): TimeData {
  const times = [...new Set(rows.map((row) => Number(row['ts_bucket'])))].sort((a, b) => a - b)
  const at = new Map(times.map((time, index) => [time, index]))
  const names = meta.series?.map(({ name }) => name) ?? []
  // Names of lines and fields are made once for a line, not once for a point.
  const lines = new Map<unknown, Line[]>()
  for (const row of rows) {
    const index = at.get(Number(row['ts_bucket'])) ?? 0
    const key = keyOf(row['group'])
    let own = lines.get(key)
    if (!own) {
      own = names.map((series, n) => ({
        ...lineName(row, series, names.length > 1, meta.groups?.hidden ?? 0),
        ...{ field: `series_${n}.data`, values: times.map(() => null) },
      }))
      lines.set(key, own)
    }
    for (const { field, values } of own) values[index] = numberOf(row[field])
  }
  const all = [...lines.values()].flat()
  const own = all.filter(({ isOther }) => !isOther).map(({ name }) => name)
  const colourOf = new Map(colours.of(own).map((colour, index) => [own[index], colour]))
  const series = all.map(({ name, isOther, values }) => ({
    ...{ name, values },
    colour: isOther ? ('other' as const) : (colourOf.get(name) ?? 1),
  }))
  // What has no group of its own is last in the stack.
  return { times, series: [...series.filter(isNamed), ...series.filter((one) => !isNamed(one))] }
}

export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null

/** The values of a group as one text. */
export const groupName = (group: unknown): string =>
  Array.isArray(group)
    ? group.map((part) => (part === null || part === '' ? '(none)' : String(part))).join(', ')
    : ''

/** Groups of one name have one key; the key of most groups is their only value. */
const keyOf = (group: unknown): unknown =>
  Array.isArray(group) && group.length === 1 && typeof group[0] === 'string' && group[0] !== ''
    ? group[0]
    : group === null
      ? null
      : groupName(group)

const isNamed = ({ colour }: ChartSeries): boolean => colour !== 'other'

function lineName(row: Row, series: string, hasSeveral: boolean, hidden: number) {
  const { group } = row
  if (group === null) return { name: `${hasSeveral ? `${series}, ` : ''}other, ${hidden}`, isOther: true }
  const name = groupName(group)
  if (name === '') return { name: series, isOther: false }
  return { name: hasSeveral ? `${series}, ${name}` : name, isOther: false }
}

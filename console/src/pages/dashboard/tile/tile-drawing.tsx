import { useEffect, useState } from 'preact/hooks'
import { run } from '../../../kit/toast.tsx'
import type { Answer } from '../dashboard-types.ts'
import type { ContentProps } from './content-props.ts'
import { HistogramContent } from './histogram-content.tsx'
import { NumberContent } from './number-content.tsx'
import { SearchContent } from './search-content.tsx'
import { TableContent } from './table-content.tsx'
import { NoRows } from './tile-state.tsx'
import { TimeContent } from './time-content.tsx'

export interface DrawingProps extends ContentProps {
  /** Of a lone number: the time before, and its course. */
  before: Answer | null
  course: Answer | null
  /** The page of rows after this cursor. */
  more: ((cursor: string) => Promise<Answer>) | null
}

/** The answer, drawn as the tile says. */
export function TileDrawing(props: DrawingProps) {
  const { answer, range, timeZone, more } = props
  const [pages, setPages] = useState<readonly Answer[]>([])
  useEffect(() => setPages([]), [answer])
  const { type } = answer.meta
  if (answer.rows.length === 0) return <NoRows range={range} timeZone={timeZone} />
  if (type === 'table') return <TableContent {...props} />
  if (type === 'number') return <NumberContent {...props} />
  if (type === 'histogram') return <HistogramContent {...props} />
  if (type === 'search') {
    const cursor = (pages.at(-1) ?? answer).meta.nextCursor ?? null
    const onMore =
      cursor === null || more === null
        ? null
        : () =>
            run(
              more(cursor).then((next) => setPages((all) => [...all, next])),
              'Older rows were not read.',
            )
    return <SearchContent {...props} pages={pages} onMore={onMore} />
  }
  return <TimeContent {...props} />
}

import type { GroupColours } from '../../../charts/group-colours.ts'
import type { RangeMs } from '../../../lib/range-ends.ts'
import type { Answer, Tile } from '../dashboard-types.ts'

/** What every kind of tile draws from. */
export interface ContentProps {
  tile: Tile
  answer: Answer
  range: RangeMs
  timeZone: string | undefined
  colours: GroupColours
  /** Names of series that are not shown. */
  hidden: readonly string[]
  onHide: (names: string[]) => void
  onZoom: ((range: RangeMs) => void) | undefined
  onZoomOut: (() => void) | undefined
}

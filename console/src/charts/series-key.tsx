import { useCssVars } from '../kit/css-vars.ts'
import type { SeriesColour } from './chart-types.ts'
import { isDashed, tokenOf } from './colours.ts'

/** The colour of a series beside its name. */
export function SeriesKey({ colour }: { colour: SeriesColour }) {
  const ref = useCssVars<HTMLSpanElement>({ '--c': `var(${tokenOf(colour)})` })
  return <span class="series-key" data-dashed={isDashed(colour)} ref={ref} aria-hidden="true" />
}

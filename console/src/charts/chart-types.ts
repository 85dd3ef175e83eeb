/** One series of a chart. `colour` is its place in the palette; `other` is what has no group of its own. */
export interface ChartSeries {
  name: string
  /** One for each time; null is a gap. */
  values: readonly (number | null)[]
  colour: SeriesColour
}

/** From 1 on; those above 12 are drawn thin and grey, and named under the pointer. */
export type SeriesColour = number | 'other'

export interface TimeRange {
  /** Both in milliseconds since 1970. */
  from: number
  to: number
}

export interface ChartLimit {
  name: string
  /** A value for the whole range, or one for each time. */
  value: number | readonly (number | null)[]
}

/** A time that is set apart by its ground: the service slept. */
export interface ChartBand extends TimeRange {
  name: string
}

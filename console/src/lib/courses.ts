type Values = readonly (number | null)[]

/** The newest value that is known. */
export const lastOf = (values: Values | undefined): number | null =>
  values?.findLast((value) => value !== null) ?? null

/** Counts per step as rates. */
export const perSecond = (values: Values, stepSeconds: number): (number | null)[] =>
  values.map((value) => (value === null ? null : value / stepSeconds))

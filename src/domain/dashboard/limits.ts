/** Numbers of the dashboard interface, each named once. Lengths count characters (code points). */
export const dashboardLimits = {
  nameLength: 1024,
  tags: 50,
  tagLength: 32,
  tiles: 500,
  tileNameLength: 1024,
  /** Ids made here have 24 characters; a PUT may carry ids made elsewhere, at most a UUID. */
  tileIdLength: 36,
  gridColumns: 24,
  /** Far beyond any screen, yet small enough that y + h stays an exact number everywhere. */
  gridRows: 100_000,
  seriesPerTile: 20,
  ratioSeries: 2,
  groupBy: 10,
  fields: 100,
  /** `where`, `field`, and each item of `groupBy` and `fields`: column names or expressions. */
  expressionLength: 10_000,
  dataSourceLength: 256,
  aliasLength: 256,
  metricNameLength: 1024,
  contentLength: 100_000,
  unitLength: 64,
  mantissa: 20,
  /** `sql` of a series or a variable. */
  sqlLength: 100_000,
  /** Of an end of `timeRange`, and of `refresh`. */
  timeLength: 64,
  variables: 50,
  variableValues: 1_000,
  /** A value, the default, and the label of a variable. */
  variableTextLength: 1_024,
} as const

/** A dashboard, stored and answered in the same shape, so that a caller can PUT it back unchanged. */
export interface DashboardRecord extends DashboardContent {
  /** 24 hex digits. */
  id: string
}

export interface DashboardContent extends DashboardExtras {
  name: string
  tiles: Tile[]
  tags: string[]
}

/** Fields beyond those of the interface. An absent field is not set, and is absent in answers too. */
export interface DashboardExtras {
  /** What its tiles show unless a reader asks for another range; absent = the last hour. */
  timeRange?: TimeRange
  /** How often a reader should ask again: `30s`, `5m`. */
  refresh?: string
  variables?: DashboardVariable[]
}

/** Each `now`, `now-6h` or ISO 8601. */
export interface TimeRange {
  from: string
  to: string
}

export interface DashboardVariable {
  /** Unique in its dashboard. */
  name: string
  label?: string
  kind: VariableKind
  /** Of a `list`. */
  values?: string[]
  /** Of a `query`: the first column gives the values. */
  sql?: string
  /** Where the `sql` of a `query` runs; absent = `events`. */
  dataSource?: string
  /** Absent = every value. A list where `multi` is true. */
  default?: string | string[]
  multi?: boolean
}

/** A dashboard with what its stored versions know of it. */
export interface SavedDashboard {
  dashboard: DashboardRecord
  /** 1, 2, …: every save that changes something adds one. */
  version: number
  /** The file that the dashboard is kept in step with; null = it was made over the API. */
  file: string | null
}

/** One entry of a dashboard's history. */
export interface DashboardVersion {
  version: number
  savedAtMs: number
  /** The name of the token. */
  savedBy: string
  name: string
  /** The number of tiles. */
  tiles: number
}

export interface Tile {
  /** 24 hex digits, unique in its dashboard. */
  id: string
  name: string
  /** Position and size in grid cells; the grid has 24 columns and no last row. */
  x: number
  y: number
  w: number
  h: number
  /** Draws the first of two series divided by the second. */
  asRatio: boolean
  /** All of one type. */
  series: Series[]
}

export interface Series extends SeriesExtras {
  type: SeriesType
  /** `events` or `metrics` for the default source of that kind, else the name or id of a source. */
  dataSource: string
  /** Empty where nothing is aggregated: search and markdown. */
  aggFn: AggFn | ''
  where: string
  groupBy: string[]
}

/** Fields beyond those of the interface. An absent field is not set, and is absent in answers too. */
export interface SeriesExtras {
  /** The exact source; takes precedence over `dataSource`. */
  sourceId?: string
  /** The expression that is aggregated; `count` needs none. */
  field?: string
  /** Only for the aggregation `quantile`, 0 to 1. */
  level?: number
  alias?: string
  whereLanguage?: WhereLanguage
  numberFormat?: NumberFormat
  displayType?: DisplayType
  sortOrder?: SortOrder
  metricName?: string
  metricDataType?: MetricDataType
  fields?: string[]
  /** Markdown text. */
  content?: string
  /** A whole SELECT in place of `field`, `where` and `groupBy`. */
  sql?: string
}

export interface NumberFormat {
  output: NumberOutput
  /** Digits after the decimal point. */
  mantissa?: number
  thousandSeparated?: boolean
  /** Shortens large numbers: 1.2k, 3.4m. */
  average?: boolean
  /** Powers of 1000 instead of 1024. */
  decimalBytes?: boolean
  /** Values are multiplied by this factor before they are shown. */
  factor?: number
  currencySymbol?: string
  unit?: string
  numericUnit?: string
}

/** What a caller sends; an absent field takes its default. */
export interface DashboardInput extends DashboardExtras {
  name: string
  tiles?: TileInput[]
  tags?: string[]
}

export interface ReplaceInput extends DashboardInput {
  /** Must be the id of this dashboard. */
  id?: string
  tiles?: (TileInput & { id?: string })[]
}

export interface TileInput extends Omit<Tile, 'id' | 'asRatio' | 'series'> {
  asRatio?: boolean
  series: SeriesInput[]
}

export type SeriesInput = Pick<Series, 'type'> & Partial<Omit<Series, 'type'>>

export const importFormats = ['grafana', 'granary'] as const
export type ImportFormat = (typeof importFormats)[number]

export const variableKinds = ['text', 'list', 'query'] as const
export type VariableKind = (typeof variableKinds)[number]

export const seriesTypes = ['time', 'table', 'number', 'histogram', 'search', 'markdown'] as const
export type SeriesType = (typeof seriesTypes)[number]

export const aggFns = [
  'count',
  'sum',
  'avg',
  'min',
  'max',
  'count_distinct',
  'quantile',
  'last_value',
  'any',
  'increase',
  // The field is itself an aggregate expression.
  'none',
  // Older names: a quantile with its level, and a count over a unit of time.
  'p50',
  'p75',
  'p90',
  'p95',
  'p99',
  'count_per_sec',
  'count_per_min',
  'count_per_hour',
  // The sum per second.
  'sum_rate',
] as const
export type AggFn = (typeof aggFns)[number]

export const whereLanguages = ['lucene', 'sql'] as const
export type WhereLanguage = (typeof whereLanguages)[number]

export const displayTypes = ['line', 'stacked_bar'] as const
export type DisplayType = (typeof displayTypes)[number]

export const sortOrders = ['asc', 'desc'] as const
export type SortOrder = (typeof sortOrders)[number]

export const metricDataTypes = ['gauge', 'sum', 'histogram', 'summary', 'exponential histogram'] as const
export type MetricDataType = (typeof metricDataTypes)[number]

export const numberOutputs = [
  'currency',
  'percent',
  'byte',
  'time',
  'duration',
  'number',
  'data_rate',
  'throughput',
] as const
export type NumberOutput = (typeof numberOutputs)[number]

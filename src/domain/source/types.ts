/** Where events or metrics lie, and how to read them. */
export interface SourceRecord extends SourceContent {
  /** 24 hex digits. */
  id: string
  createdAtMs: number
  updatedAtMs: number
}

export interface SourceContent {
  /** Unique in its organization whatever the case. */
  name: string
  kind: SourceKind
  serviceId: string
  database: string
  table: string
  timestampColumn: string
  /** The text column that words without a field search; '' = none. */
  implicitColumn: string
  /** Name → column or path. */
  aliases: Record<string, string>
  /** At most one per kind in an organization: what `events` or `metrics` means in a series. */
  isDefault: boolean
  /** Only of metrics. */
  metric?: MetricColumns
}

/** The columns of a metrics table; an absent field = the table has no such column. */
export interface MetricColumns {
  /** The metric's name. */
  name?: string
  value?: string
  /** Together they tell the series of a metric apart. */
  labels: string[]
  /** Upper bounds and counts of a histogram, both arrays. */
  bounds?: string
  counts?: string
  temporality: Temporality
}

/** What a caller sends; an absent field takes its default from the table. */
export interface SourceInput {
  name: string
  kind?: SourceKind
  serviceId: string
  database?: string
  table: string
  timestampColumn?: string
  implicitColumn?: string
  aliases?: Record<string, string>
  isDefault?: boolean
  metric?: Partial<MetricColumns>
}

/** What a PUT may carry back; only the id is looked at. */
export interface SourceReplaceInput extends SourceInput {
  id?: string
  createdAt?: string
  updatedAt?: string
}

/** A table as the engine describes it. */
export interface TableDescription {
  database: string
  table: string
  /** In their order; types as `system.columns` shows them. */
  columns: readonly { name: string; type: string }[]
  /** The columns that the sorting key names, in its order. */
  sortingKey: readonly string[]
}

export const sourceKinds = ['events', 'metrics'] as const
export type SourceKind = (typeof sourceKinds)[number]

export const temporalities = ['cumulative', 'delta'] as const
export type Temporality = (typeof temporalities)[number]

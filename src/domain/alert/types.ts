/** A watch over the number that a tile shows. */
export interface AlertRecord extends AlertSettings {
  /** 24 hex digits. */
  id: string
  organizationId: string
  status: AlertStatus
  createdAtMs: number
  updatedAtMs: number
}

export interface AlertSettings {
  name: string
  message: string
  enabled: boolean
  dashboardId: string
  tileId: string
  interval: AlertInterval
  threshold: number
  thresholdType: ThresholdType
  /** Only of `between` and `not_between`. */
  thresholdMax?: number
  /** So many breaches in a row make an alert. */
  numConsecutiveWindows: number
  /** The address of the webhook; its secret is kept apart. */
  url: string
}

export interface AlertStatus {
  state: AlertState
  sinceMs: number
  lastValue: number | null
  lastEvaluatedAtMs: number | null
  lastError: AlertError | null
  /** In a row. */
  breaches: number
  /** When the next evaluation is due; 0 = now. */
  nextAtMs: number
  /** How many there were: the number of the last entry of the history. */
  evaluations: number
  /** Webhooks that are due, oldest first. */
  pending: PendingWebhook[]
}

/** A webhook that is neither delivered nor given up. It survives a restart. */
export interface PendingWebhook {
  /** The same in every attempt. */
  id: string
  event: WebhookEvent
  /** The body as it is signed. */
  body: string
  /** The evaluation that caused it. */
  evaluation: number
  attempts: number
  /** When the next attempt is due. */
  atMs: number
}

export interface AlertError {
  code: 'QUERY_ERROR' | 'QUERY_TIMEOUT' | 'WEBHOOK_ERROR'
  message: string
}

/** One evaluation. */
export interface AlertHistoryEntry {
  at: number
  state: AlertState
  value: number | null
  startTime: number
  endTime: number
  /** Those beyond the threshold. */
  groups: GroupValue[]
  error: AlertError | null
  /** Null = no webhook was due. */
  delivery: { event: WebhookEvent; attempts: number; status: number | null; error: string | null } | null
}

export interface GroupValue {
  group: (string | null)[]
  value: number
}

/** What a caller sends; an absent field takes its default. */
export interface AlertInput {
  name: string
  message?: string
  enabled?: boolean
  dashboardId: string
  tileId: string
  interval: AlertInterval
  threshold: number
  thresholdType: ThresholdType
  thresholdMax?: number
  numConsecutiveWindows?: number
  channel: { type: 'webhook'; url: string; secret?: string }
}

export type AlertState = (typeof alertStates)[number]
export const alertStates = ['OK', 'ALERT', 'PENDING', 'INSUFFICIENT_DATA', 'DISABLED'] as const

export type WebhookEvent = 'alert.fired' | 'alert.resolved'

export const intervalMs = {
  ...{ '1m': 60_000, '5m': 300_000, '15m': 900_000, '30m': 1_800_000 },
  ...{ '1h': 3_600_000, '6h': 21_600_000, '12h': 43_200_000, '1d': 86_400_000 },
} as const
export type AlertInterval = keyof typeof intervalMs
export const alertIntervals = Object.keys(intervalMs) as AlertInterval[]

export const thresholdTypes = [
  ...(['above', 'above_exclusive', 'below', 'below_or_equal', 'equal', 'not_equal'] as const),
  ...(['between', 'not_between'] as const),
] as const
export type ThresholdType = (typeof thresholdTypes)[number]

export const alertLimits = {
  nameLength: 512,
  messageLength: 4096,
  urlLength: 2048,
  windows: 100,
  /** Entries of the history that are kept. */
  history: 1000,
  /** Groups that a webhook and an entry name. */
  groups: 20,
} as const

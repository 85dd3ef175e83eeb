import { createAlertLoop } from '../alerts/loop.ts'
import { createMeasure } from '../alerts/measure.ts'
import type { Webhooks } from '../alerts/send-webhook.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/running.ts'
import type { Queries } from '../queries/queries.ts'
import type { Store } from '../store/store.ts'
import type { Part } from './part.ts'

export interface AlertsPartOptions {
  store: Store
  clock: Clock
  log: Log
  webhooks: Webhooks
  timeScale: number
  /** Null = no engine runs here. Its questions keep no service awake. */
  queries: Pick<Queries, 'ask'> | null
}

/** Alerts watch the numbers of tiles. */
export function createAlertsPart({ queries, ...shared }: AlertsPartOptions): Part {
  const measure = queries && createMeasure({ store: shared.store, queries })
  return { name: 'alerts', loops: [createAlertLoop({ ...shared, measure })] }
}

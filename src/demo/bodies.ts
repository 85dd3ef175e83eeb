import type { AlertInput } from '../domain/alert/types.ts'
import type { PipeCreateInput } from '../domain/pipe/input.ts'
import type { ServiceDraft } from '../domain/service/create.ts'
import type { FeedName } from './shop/feeds.ts'
import { metricColumns } from './shop/metrics.ts'
import { requestColumns } from './shop/requests.ts'

/** What the demo asks of the API, as a person would. */
export const database = 'shop'

/** As few replicas as the tier allows, of the only size that development services have. */
export const serviceBody = (numReplicas: number): ServiceDraft => ({
  ...{ name: 'demo', tier: 'development', numReplicas },
  tags: [{ key: 'made-by', value: 'granary demo' }],
})

const tables: Record<
  FeedName,
  Pick<PipeCreateInput['destination'] & object, 'columns' | 'tableDefinition'>
> = {
  requests: {
    columns: [...requestColumns],
    tableDefinition: { sortingKey: ['service', 'timestamp'], partitionBy: 'toYYYYMM(timestamp)' },
  },
  metrics: {
    columns: [...metricColumns],
    tableDefinition: {
      sortingKey: ['MetricName', 'ServiceName', 'TimeUnix'],
      partitionBy: 'toYYYYMM(TimeUnix)',
    },
  },
}

export function pipeBody(feed: FeedName, url: string): PipeCreateInput {
  const { columns = [], tableDefinition } = tables[feed]
  return {
    name: `shop ${feed}`,
    source: { objectStorage: { url, format: 'JSONEachRow', isContinuous: true } },
    destination: { database, table: feed, columns, ...(tableDefinition && { tableDefinition }) },
    fieldMappings: columns.map(({ name }) => ({ sourceField: name, destinationField: name })),
    settings: {
      object_storage_polling_interval_ms: 5_000,
      // Small batches, so that the progress of the first load can be seen.
      object_storage_max_file_count: 4,
    },
  }
}

/** The address cannot exist (RFC 2606): nothing leaves the machine until somebody sets a real one. */
export const alertBody = (dashboardId: string, tileId: string): AlertInput => ({
  ...{ name: 'Shop errors', dashboardId, tileId, interval: '5m', threshold: 0.01, thresholdType: 'above' },
  message: 'More than 1 % of the requests of the demo shop fail. Set an address of your own to be told.',
  numConsecutiveWindows: 2,
  channel: { type: 'webhook', url: 'https://webhook.invalid/granary-demo' },
})

import type { SourceKind } from '../../lib/source-kinds.ts'

/** The fewest fields of each kind of source, to fill in. */
export const sourceExamples: Record<SourceKind, object> = {
  kafka: { brokers: 'broker-1:9092', topics: 'orders', format: 'JSONEachRow' },
  objectStorage: { url: 's3://bucket/orders/*.json', format: 'JSONEachRow', isContinuous: true },
  kinesis: { streamName: 'orders', region: 'eu-central-1', format: 'JSONEachRow' },
  postgres: {
    ...{ host: 'db.example', database: 'shop' },
    tableMappings: [{ sourceSchemaName: 'public', sourceTable: 'orders', targetTable: 'orders' }],
  },
}

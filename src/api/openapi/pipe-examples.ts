import type { BodyOf } from '../operations.ts'

/** An example request, and its purpose. */
export interface Example<T> {
  summary: string
  value: T
}

const orders = {
  destination: {
    database: 'default',
    table: 'orders',
    columns: [
      { name: 'id', type: 'UInt64' },
      { name: 'amount', type: 'Float64' },
    ],
    tableDefinition: { sortingKey: ['id'] },
  },
  fieldMappings: [
    { sourceField: 'id', destinationField: 'id' },
    { sourceField: 'amount', destinationField: 'amount' },
  ],
}

/** One pipe of each kind of source. */
export const pipeRequests = {
  kafka: {
    summary: 'From Kafka',
    value: {
      name: 'orders',
      source: {
        kafka: {
          brokers: 'broker-1.example.com:9092,broker-2.example.com:9092',
          topics: 'orders',
          authentication: 'SCRAM-SHA-256',
          credentials: { username: 'granary', password: 'a secret' },
        },
      },
      ...orders,
    },
  },
  objectStorage: {
    summary: 'From object storage, going on with new objects',
    value: {
      name: 'order files',
      source: {
        objectStorage: {
          url: 'https://acme.s3.eu-central-1.amazonaws.com/orders/**.json.gz',
          isContinuous: true,
          accessKey: { accessKeyId: 'AKIAEXAMPLE', secretKey: 'a secret' },
        },
      },
      ...orders,
    },
  },
  kinesis: {
    summary: 'From Kinesis',
    value: {
      name: 'order stream',
      source: {
        kinesis: { streamName: 'orders', region: 'eu-central-1', iamRole: 'arn:aws:iam::1:role/granary' },
      },
      ...orders,
    },
  },
  postgres: {
    summary: 'From Postgres: load the tables, then follow their changes',
    value: {
      name: 'shop',
      source: {
        postgres: {
          host: 'db.example.com',
          port: 5432,
          database: 'shop',
          credentials: { username: 'granary', password: 'a secret' },
          tableMappings: [{ sourceSchemaName: 'public', sourceTable: 'orders', targetTable: 'orders' }],
        },
      },
      destination: { database: 'shop' },
    },
  },
} satisfies Record<string, Example<BodyOf<'pipes.create'>>>

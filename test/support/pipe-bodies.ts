import { formatPath } from '../../src/domain/issue.ts'
import type {
  DestinationInput,
  KafkaInput,
  KinesisInput,
  ObjectStorageInput,
  PipeCreateInput,
  PostgresInput,
} from '../../src/domain/pipe/input.ts'
import type { Planned } from '../../src/domain/pipe/types.ts'

/** Valid requests for tests, one per kind of source; the argument replaces a part of the source. */
export function kafkaBody(over: KafkaInput = {}): PipeCreateInput {
  return {
    name: 'orders',
    source: {
      kafka: {
        brokers: 'broker-1:9092,broker-2:9092',
        topics: 'orders',
        credentials: { username: 'user', password: 'pass' },
        ...over,
      },
    },
    ...ordersTable(),
  }
}

export function storageBody(over: ObjectStorageInput = {}): PipeCreateInput {
  return {
    name: 'files',
    source: { objectStorage: { url: 'https://bucket.s3.amazonaws.com/orders/**.json', ...over } },
    ...ordersTable(),
  }
}

export function azureBody(over: ObjectStorageInput = {}): PipeCreateInput {
  return storageBody({
    url: '',
    azureContainerName: 'orders',
    path: 'daily/*.parquet',
    connectionString: 'DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=c2VjcmV0',
    ...over,
  })
}

export function kinesisBody(over: KinesisInput = {}): PipeCreateInput {
  return {
    name: 'clicks',
    source: {
      kinesis: {
        streamName: 'clicks',
        region: 'eu-west-1',
        accessKey: { accessKeyId: 'AKID', secretKey: 'secret' },
        ...over,
      },
    },
    ...ordersTable(),
  }
}

export function postgresBody(over: PostgresInput = {}): PipeCreateInput {
  return {
    name: 'shop',
    source: {
      postgres: {
        host: 'db.example.com',
        database: 'shop',
        credentials: { username: 'reader', password: 'pass' },
        tableMappings: [{ sourceSchemaName: 'public', sourceTable: 'orders', targetTable: 'orders' }],
        ...over,
      },
    },
    destination: { database: 'shop' },
  }
}

/** A Kafka request in the plain shape of the API, with every optional text empty as in answers. */
export function eventStream(): PipeCreateInput {
  return kafkaBody({
    consumerGroup: '',
    iamRole: '',
    offset: { timestamp: '' },
    schemaRegistry: { url: '', caCertificate: '', credentials: { username: '', password: '' } },
    caCertificate: '',
    reversePrivateEndpointIds: [],
    credentials: { username: '', password: '' },
  })
}

export function ordersTable(over: DestinationInput = {}) {
  return {
    destination: {
      database: 'shop',
      table: 'orders',
      columns: [
        { name: 'id', type: 'UInt64' },
        { name: 'amount', type: 'Float64' },
      ],
      ...over,
    },
    fieldMappings: [
      { sourceField: 'id', destinationField: 'id' },
      { sourceField: 'amt', destinationField: 'amount' },
    ],
  }
}

/** The plan; fails with the issues if it was refused. */
export function planned<T>(result: Planned<T>): T {
  if (result.ok) return result.plan
  throw new Error(`refused: ${flawsOf(result).join('; ')}`)
}

/** Issues as `place: code`, in their order. */
export function flawsOf(result: Planned<unknown>): string[] {
  return result.ok ? [] : result.issues.map((issue) => `${formatPath(issue.path)}: ${issue.code}`)
}

import type { BodyOf } from '../../../../src/api/operations.ts'
import { type FieldGroup, type Get, optionsOf } from './fields.ts'

type Kinesis = NonNullable<BodyOf<'pipes.create'>['source']['kinesis']>

const at = (name: string): string => `source.kinesis.${name}`
const isRole = (get: Get) => get(at('authentication')) === 'IAM_ROLE'

export const kinesisGroups: FieldGroup[] = [
  {
    title: 'Stream',
    fields: [
      { path: at('streamName'), label: 'Stream', control: 'text', placeholder: 'orders' },
      { path: at('region'), label: 'Region', control: 'text', placeholder: 'eu-central-1' },
    ],
  },
  {
    title: 'Sign-in',
    hint: 'Secrets go in and never come out.',
    fields: [
      {
        ...{ path: at('authentication'), label: 'Authentication', control: 'choice' },
        options: optionsOf<Exclude<NonNullable<Kinesis['authentication']>, ''>>({
          IAM_USER: 'Access key',
          IAM_ROLE: 'IAM role',
        }),
      },
      { path: at('iamRole'), label: 'Role', control: 'text', placeholder: 'arn:aws:iam::…', when: isRole },
      {
        ...{ path: at('accessKey.accessKeyId'), label: 'Access key id', control: 'text' },
        hint: 'For a role: the key that assumes it, if not the server’s own.',
      },
      { path: at('accessKey.secretKey'), label: 'Secret key', control: 'secret' },
    ],
  },
  {
    title: 'Records',
    fields: [
      {
        ...{ path: at('format'), label: 'Format', control: 'choice' },
        options: optionsOf<NonNullable<Kinesis['format']>>({
          JSONEachRow: 'JSON',
          Avro: 'Avro',
          AvroConfluent: 'Avro with a schema registry',
        }),
      },
      {
        ...{ path: at('iteratorType'), label: 'Begin', control: 'choice' },
        options: optionsOf<NonNullable<Kinesis['iteratorType']>>({
          TRIM_HORIZON: 'With the oldest record',
          LATEST: 'With records that come now',
          AT_TIMESTAMP: 'At a time',
        }),
      },
      {
        ...{ path: at('timestamp'), label: 'Time', control: 'time', unit: 'UTC' },
        toSent: (value) => Math.floor(Date.parse(`${value}Z`) / 1000),
        when: (get) => get(at('iteratorType')) === 'AT_TIMESTAMP',
      },
      {
        ...{ path: at('useEnhancedFanOut'), label: 'Enhanced fan-out', control: 'switch', isWide: true },
        hint: 'A throughput of its own for each shard; the vendor bills it.',
      },
    ],
  },
]

import type { BodyOf } from '../../../../src/api/operations.ts'
import { type FieldGroup, type FieldSpec, type Get, optionsOf } from './fields.ts'

type Kafka = NonNullable<BodyOf<'pipes.create'>['source']['kafka']>

const at = (name: string): string => `source.kafka.${name}`
const method = (get: Get) => String(get(at('authentication')))
const isOneOf =
  (...methods: string[]) =>
  (get: Get) =>
    methods.includes(method(get))
const hub = '@hub'
const isHub = (get: Get) => get(at('type')) === 'azureeventhub'
const takesString = (get: Get) => isHub(get) && get(hub) === 'string'
const takesUser = (get: Get) => /^(PLAIN|SCRAM)/.test(method(get)) && !takesString(get)
const hasRegistry = (get: Get) => get(at('schemaRegistry.url')) !== ''

const methodNames: Record<NonNullable<Kafka['authentication']>, string> = {
  ...{ '': 'None', PLAIN: 'SASL PLAIN', 'SCRAM-SHA-256': 'SCRAM-SHA-256', 'SCRAM-SHA-512': 'SCRAM-SHA-512' },
  ...{ IAM_ROLE: 'IAM role', IAM_USER: 'IAM access key', MUTUAL_TLS: 'Client certificate' },
}
const user = ['SCRAM-SHA-256', 'SCRAM-SHA-512'] as const
/** What each vendor takes, the most usual one first. */
const methodsOf: Record<NonNullable<Kafka['type']>, readonly NonNullable<Kafka['authentication']>[]> = {
  kafka: ['', 'PLAIN', ...user, 'MUTUAL_TLS'],
  redpanda: ['', ...user, 'MUTUAL_TLS'],
  msk: ['SCRAM-SHA-512', 'IAM_ROLE', 'IAM_USER', 'MUTUAL_TLS', ''],
  gcmk: ['PLAIN', 'MUTUAL_TLS'],
  confluent: ['PLAIN', 'MUTUAL_TLS'],
  warpstream: ['PLAIN', ''],
  azureeventhub: ['PLAIN'],
  dokafka: ['SCRAM-SHA-256', 'MUTUAL_TLS'],
}

const signIn: FieldSpec[] = [
  {
    ...{ path: at('authentication'), label: 'Authentication', control: 'choice' },
    options: (get) =>
      methodsOf[get(at('type')) as NonNullable<Kafka['type']>].map((value) => ({
        value,
        name: methodNames[value],
      })),
  },
  {
    ...{ path: hub, label: 'With', control: 'choice', when: isHub },
    options: optionsOf({ string: 'Connection string', user: 'User name and password' }),
  },
  {
    path: at('credentials.connectionString'),
    label: 'Connection string',
    control: 'secret',
    when: takesString,
  },
  { path: at('credentials.username'), label: 'User name', control: 'text', when: takesUser },
  { path: at('credentials.password'), label: 'Password', control: 'secret', when: takesUser },
  {
    path: at('iamRole'),
    label: 'Role',
    control: 'text',
    placeholder: 'arn:aws:iam::…',
    when: isOneOf('IAM_ROLE'),
  },
  {
    ...{ path: at('credentials.accessKeyId'), label: 'Access key id', control: 'text' },
    ...{ hint: 'For a role: the key that assumes it, if not the server’s own.' },
    when: isOneOf('IAM_USER', 'IAM_ROLE'),
  },
  {
    ...{ path: at('credentials.secretKey'), label: 'Secret key', control: 'secret' },
    when: isOneOf('IAM_USER', 'IAM_ROLE'),
  },
  {
    ...{ path: at('credentials.certificate'), label: 'Client certificate', control: 'area', hint: 'PEM.' },
    when: isOneOf('MUTUAL_TLS'),
  },
  {
    ...{ path: at('credentials.privateKey'), label: 'Private key', control: 'secret-area', hint: 'PEM.' },
    when: isOneOf('MUTUAL_TLS'),
  },
  {
    ...{ path: at('caCertificate'), label: 'Authority of the brokers', control: 'area', isOptional: true },
    hint: 'PEM, where no public authority signed their certificates.',
  },
]

export const kafkaGroups: FieldGroup[] = [
  {
    title: 'Cluster',
    fields: [
      {
        ...{ path: at('type'), label: 'Vendor', control: 'choice' },
        options: optionsOf<NonNullable<Kafka['type']>>({
          ...{ kafka: 'Apache Kafka', redpanda: 'Redpanda', msk: 'Amazon MSK', gcmk: 'Google Managed Kafka' },
          ...{ confluent: 'Confluent', warpstream: 'WarpStream', azureeventhub: 'Azure Event Hubs' },
          dokafka: 'DigitalOcean',
        }),
      },
      {
        ...{ path: at('brokers'), label: 'Brokers', control: 'text', isWide: true },
        ...{ placeholder: 'broker-1:9092, broker-2:9092', hint: 'Hosts with ports, separated by commas.' },
      },
      {
        ...{ path: at('topics'), label: 'Topics', control: 'text', isWide: true },
        ...{ placeholder: 'orders', hint: 'Several separated by commas.' },
      },
    ],
  },
  { title: 'Sign-in', hint: 'Secrets go in and never come out.', fields: signIn },
  {
    title: 'Messages',
    fields: [
      {
        ...{ path: at('format'), label: 'Format', control: 'choice' },
        options: optionsOf<NonNullable<Kafka['format']>>({
          ...{ JSONEachRow: 'JSON', AvroConfluent: 'Avro with a schema registry', Avro: 'Avro' },
          Protobuf: 'Protobuf',
        }),
      },
      {
        ...{ path: at('schemaRegistry.url'), label: 'Schema registry', control: 'text', isOptional: true },
        placeholder: 'https://registry:8081',
      },
      {
        ...{
          path: at('schemaRegistry.credentials.username'),
          label: 'User of the registry',
          control: 'text',
        },
        ...{ isOptional: true, when: hasRegistry },
      },
      {
        ...{
          path: at('schemaRegistry.credentials.password'),
          label: 'Password of the registry',
          control: 'secret',
        },
        ...{ isOptional: true, when: hasRegistry },
      },
      {
        ...{ path: at('schemaRegistry.caCertificate'), label: 'Authority of the registry', control: 'area' },
        ...{ isOptional: true, hint: 'PEM.', when: hasRegistry },
      },
    ],
  },
  {
    title: 'Where to begin',
    fields: [
      {
        ...{ path: at('offset.strategy'), label: 'Begin', control: 'choice' },
        options: optionsOf<NonNullable<NonNullable<Kafka['offset']>['strategy']>>({
          ...{ from_beginning: 'At the beginning of the topic', from_latest: 'With messages that come now' },
          from_timestamp: 'At a time',
        }),
      },
      {
        ...{ path: at('offset.timestamp'), label: 'Time', control: 'time', unit: 'UTC' },
        when: (get) => get(at('offset.strategy')) === 'from_timestamp',
      },
      {
        ...{ path: at('consumerGroup'), label: 'Consumer group', control: 'text', isOptional: true },
        placeholder: 'granary-<pipe id>',
      },
    ],
  },
]

export const kafkaRunGroup: FieldGroup = {
  title: 'Guarantee',
  fields: [
    {
      ...{ path: at('exactlyOnce'), label: 'Each message exactly once', control: 'switch', first: true },
      ...{ isWide: true, hint: 'Off: a crash may write a few messages twice.' },
    },
  ],
}

import {
  compressions,
  iteratorTypes,
  kafkaAuthentications,
  kafkaFormats,
  kafkaTypes,
  kinesisAuthentications,
  kinesisFormats,
  listLength,
  objectStorageAuthentications,
  objectStorageFormats,
  objectStorageTypes,
  offsetStrategies,
  schemaRegistryAuthentications,
  textLength,
} from '../domain/pipe/limits.ts'
import { accessKey, certificate, iamRole, optionals, secret, url, userPassword, word } from './pipe-fields.ts'
import { Postgres, PostgresBody, PostgresPatchBody } from './pipe-postgres.ts'
import { closed, flag, list, oneOf, optional, Type, text } from './schema.ts'

const offset = {
  strategy: oneOf(offsetStrategies, 'Default from_timestamp when a timestamp is sent, else from_beginning.'),
  timestamp: text('Where to begin: `YYYY-MM-DDTHH:MM` in UTC, or a full ISO 8601 time.', {
    maxLength: textLength.timestamp,
  }),
}
const schemaRegistry = {
  url: url('http or https. It must not contain credentials.'),
  authentication: oneOf(['', ...schemaRegistryAuthentications], 'Follows from the credentials.'),
  caCertificate: certificate('The authority that signed the registry’s certificate, PEM.'),
}
const kafka = {
  type: oneOf(kafkaTypes, 'The vendor. Default kafka, or what the credentials are made for.'),
  format: oneOf(kafkaFormats, 'Default AvroConfluent with a schema registry, else JSONEachRow.'),
  brokers: text('`host:port`, several separated by commas.', { maxLength: textLength.list }),
  topics: text('Topic names, several separated by commas.', { maxLength: textLength.list }),
  consumerGroup: word('Empty: a group named after the pipe.'),
  authentication: oneOf(
    ['', ...kafkaAuthentications],
    'Default: by the form of the credentials; empty: none.',
  ),
  iamRole,
  caCertificate: certificate('The authority that signed the brokers’ certificates, PEM.'),
  reversePrivateEndpointIds: list(word('An id.'), 'Private links towards the source.', {
    maxItems: listLength.endpoints,
  }),
  exactlyOnce: flag('Whether each message is written exactly once. Default true.'),
}
const kafkaSecrets = {
  credentials: optional(
    closed(
      optionals({
        username: secret('For PLAIN and SCRAM.'),
        password: secret('For PLAIN and SCRAM.'),
        accessKeyId: secret('For IAM_USER, or to assume the role of IAM_ROLE.'),
        secretKey: secret('For IAM_USER, or to assume the role of IAM_ROLE.'),
        connectionString: secret('For Azure Event Hubs.'),
        certificate: secret('For MUTUAL_TLS, PEM.', textLength.certificate),
        privateKey: secret('For MUTUAL_TLS, PEM.', textLength.certificate),
      }),
      {
        description: 'One of the forms: user name and password, access key, connection string, certificate.',
      },
    ),
  ),
}
const kafkaParts = {
  offset: optional(closed(optionals(offset), { description: 'Where a new consumer group begins.' })),
  schemaRegistry: optional(
    closed(
      { ...optionals(schemaRegistry), credentials: optional(userPassword) },
      { description: 'Where the schemas of messages are kept.' },
    ),
  ),
  ...kafkaSecrets,
}
const KafkaBody = closed({
  ...optionals(kafka),
  brokers: kafka.brokers,
  topics: kafka.topics,
  ...kafkaParts,
})
const KafkaPatchBody = closed({ ...optionals(kafka), ...kafkaParts })
const Kafka = closed({ ...kafka, offset: closed(offset), schemaRegistry: closed(schemaRegistry) })

const objectStorage = {
  type: oneOf(objectStorageTypes, 'Default: azureblobstorage or gcs by the other fields, else s3.'),
  format: oneOf(objectStorageFormats, 'Default: by the extension of the name, else JSONEachRow.'),
  url: url('Bucket and names; `?`, `*` and `**` are globs, braces and ranges are not. No credentials in it.'),
  delimiter: text('Between the fields of a CSV row. Default `,`.', { maxLength: 1 }),
  compression: oneOf(['', ...compressions], 'Default auto: by the extension of each object.'),
  isContinuous: flag('Goes on with objects that come later. Default false: loads once, then Completed.'),
  queueUrl: url('A queue of notifications instead of listing; needs isContinuous and authentication.'),
  authentication: oneOf(['', ...objectStorageAuthentications], 'Default: by what is sent; empty: public.'),
  iamRole,
  path: url('Names within an Azure container; globs as in `url`.'),
  azureContainerName: word('Only for type azureblobstorage.'),
  skipInitialLoad: flag('Leaves out what is there already; needs queueUrl. Default false.'),
  startAfter: url('Begins with the names that sort after this one.'),
}
const ObjectStorageBody = closed({
  ...optionals(objectStorage),
  connectionString: optional(
    text('For Azure. Answers show it with its keys masked.', { maxLength: textLength.secret }),
  ),
  accessKey: optional(accessKey),
  serviceAccountKey: optional(secret('For Google, the JSON of the key.', textLength.certificate)),
})
const ObjectStorage = closed({
  ...objectStorage,
  compression: oneOf(compressions, 'auto: by the extension of each object.'),
  connectionString: text('Its keys are masked; sending it back so keeps the stored one.'),
})

const kinesis = {
  format: oneOf(kinesisFormats, 'Default JSONEachRow.'),
  streamName: word('The stream.'),
  region: word('Its region.'),
  useEnhancedFanOut: flag('A dedicated throughput per shard. Default false.'),
  iteratorType: oneOf(iteratorTypes, 'Default AT_TIMESTAMP when a timestamp is sent, else TRIM_HORIZON.'),
  timestamp: Type.Integer({ minimum: 0, description: 'Where to begin, in seconds since 1970; 0: not used.' }),
  authentication: oneOf(
    ['', ...kinesisAuthentications],
    'Default IAM_USER with an access key, else IAM_ROLE.',
  ),
  iamRole,
}
const KinesisPatchBody = closed({ ...optionals(kinesis), accessKey: optional(accessKey) })
const KinesisBody = closed({
  ...optionals(kinesis),
  streamName: kinesis.streamName,
  region: kinesis.region,
  accessKey: optional(accessKey),
})

const one = 'Exactly one kind of source.'
const validateSamples = flag('Checks samples of the data too, not the connection alone. Default false.')

export const PipeSourceBody = closed(
  optionals({
    kafka: KafkaBody,
    objectStorage: ObjectStorageBody,
    kinesis: KinesisBody,
    postgres: PostgresBody,
    validateSamples,
  }),
  { description: one },
)

export const PipeSourcePatchBody = closed(
  optionals({
    kafka: KafkaPatchBody,
    objectStorage: ObjectStorageBody,
    kinesis: KinesisPatchBody,
    postgres: PostgresPatchBody,
    validateSamples,
  }),
  { description: 'The kind that the pipe has. Fields that cannot change may be repeated.' },
)

/** Declares no secret, so no answer can carry one. */
export const PipeSource = closed(
  optionals({ kafka: Kafka, objectStorage: ObjectStorage, kinesis: closed(kinesis), postgres: Postgres }),
  { description: one },
)

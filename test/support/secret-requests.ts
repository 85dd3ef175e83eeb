import { azureBody, kafkaBody, kinesisBody, postgresBody, storageBody } from './pipe-bodies.ts'
import type { Watch } from './secret-watch.ts'

/** A pipe for each kind and each form of credentials, with a change of those credentials. */
export function pipeRequests({ secret }: Watch): { name: string; create: object; patch: object }[] {
  const login = (name: string) => ({ username: secret(`${name} user`), password: secret(`${name} password`) })
  const accessKey = (name: string) => ({
    accessKeyId: secret(`${name} access key id`),
    secretKey: secret(`${name} secret key`),
  })
  const pem = (name: string) => `-----BEGIN ${name}-----\n${secret(name)}\n-----END ${name}-----`
  const certificate = () => ({ certificate: pem('CERTIFICATE'), privateKey: pem('PRIVATE KEY') })
  const hub = () => ({
    connectionString: `Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=${secret('hub key name')};SharedAccessKey=${secret('hub key')}`,
  })
  const azure = () =>
    `DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=${secret('azure key')};BlobEndpoint=https://acme.blob.core.windows.net/?sig=${secret('azure signature')};SharedAccessSignature=${secret('shared signature')}`
  const google = () => JSON.stringify({ type: 'service_account', private_key: secret('google key') })
  const registry = (name: string) => ({
    schemaRegistry: { url: 'https://schemas.example.com', credentials: login(name) },
  })
  return [
    {
      name: 'kafka with a password and a registry',
      create: kafkaBody({ credentials: login('kafka'), ...registry('registry') }),
      patch: { source: { kafka: { credentials: login('new kafka'), ...registry('new registry') } } },
    },
    {
      name: 'kafka with an access key',
      create: kafkaBody({ type: 'msk', credentials: accessKey('msk') }),
      patch: { source: { kafka: { credentials: accessKey('new msk') } } },
    },
    {
      name: 'kafka with a certificate',
      create: kafkaBody({ credentials: certificate() }),
      patch: { source: { kafka: { credentials: certificate() } } },
    },
    {
      name: 'event hub',
      create: kafkaBody({ credentials: hub() }),
      patch: { source: { kafka: { credentials: hub() } } },
    },
    {
      name: 's3',
      create: storageBody({ accessKey: accessKey('s3') }),
      patch: { source: { objectStorage: { accessKey: accessKey('new s3') } } },
    },
    {
      name: 'google',
      create: storageBody({ url: 'gs://bucket/orders/**.json', serviceAccountKey: google() }),
      patch: { source: { objectStorage: { serviceAccountKey: google() } } },
    },
    {
      name: 'azure',
      create: azureBody({ connectionString: azure() }),
      patch: { source: { objectStorage: { connectionString: azure() } } },
    },
    {
      name: 'kinesis',
      create: kinesisBody({ accessKey: accessKey('kinesis') }),
      patch: { source: { kinesis: { accessKey: accessKey('new kinesis') } } },
    },
    {
      name: 'postgres',
      create: postgresBody({ credentials: login('postgres') }),
      patch: { source: { postgres: { credentials: login('new postgres') } } },
    },
  ]
}

/** Pipe creation bodies with a secret where none belongs; all of them are refused. */
export function misplacedSecrets({ secret }: Watch): [what: string, body: unknown][] {
  const kafkaSource = { brokers: 'broker:9092', topics: 'orders' }
  const kafka = (over: object) => ({ ...kafkaBody(), source: { kafka: { ...kafkaSource, ...over } } })
  return [
    ['a body that ends early', `{"name":"x","source":{"kafka":{"credentials":{"password":"${secret('cut')}"`],
    ['a body with a bad escape', `{"password":"${secret('escape')}\\x"}`],
    ['a body that repeats a field', `{"password":"${secret('first')}","password":"${secret('second')}"}`],
    ['a body that is text', secret('text')],
    ['a body that is a list', [secret('list')]],
    ['a body that is a JSON text', JSON.stringify(secret('json text'))],
    ['a secret as a list', kafka({ credentials: { username: 'u', password: [secret('in a list')] } })],
    ['a secret as an object', kafka({ credentials: { username: 'u', password: { is: secret('inside') } } })],
    ['a secret instead of credentials', kafka({ credentials: secret('instead') })],
    ['a secret in an unknown field', kafka({ sasl: secret('unknown field') })],
    ['a secret as a choice', kafka({ authentication: secret('choice') })],
    ['a secret in the brokers', kafka({ brokers: `user:${secret('brokers')}@broker:9092` })],
    ['a secret as a topic', kafka({ topics: `${secret('topic')} with spaces` })],
    ['a secret in an offset', kafka({ offset: { timestamp: secret('offset') } })],
    [
      'a secret in an address',
      kafka({ schemaRegistry: { url: `https://user:${secret('registry address')}@registry.example.com` } }),
    ],
    [
      'a private key as a certificate',
      kafka({ caCertificate: `-----BEGIN PRIVATE KEY-----\n${secret('pasted key')}` }),
    ],
    ['half of an access key', kinesisBody({ accessKey: { accessKeyId: '', secretKey: secret('half') } })],
    ['a secret in a url', storageBody({ url: `https://user:${secret('bucket')}@bucket.example.com/a.json` })],
    [
      'a signed url',
      storageBody({ url: `https://bucket.example.com/a.json?X-Amz-Signature=${secret('signed')}` }),
    ],
    ['a broken connection string', azureBody({ connectionString: `AccountKey ${secret('broken')}` })],
    [
      'a connection string elsewhere',
      storageBody({ connectionString: `AccountName=acme;AccountKey=${secret('elsewhere')}` }),
    ],
    ['a secret as a port', { ...postgresBody(), source: { postgres: { port: secret('port') } } }],
    ['a secret in a host', postgresBody({ host: `user:${secret('host')}@db.example.com` })],
    ['a name that is too long', { ...kafkaBody(), name: secret('name').repeat(100) }],
  ]
}

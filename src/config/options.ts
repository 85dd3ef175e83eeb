import { isAbsolute, resolve } from 'node:path'
import { readEgressList } from '../lib/egress/list.ts'
import { isIpSource } from '../lib/ip-list.ts'
import { isolations } from '../process/confine/isolation.ts'

/** An option of the server: its name, its meaning, and how its text is parsed. */
export interface Option<T> {
  env: string
  /** Shown as the default; `parse` gets this text when the variable is unset or empty. */
  fallback: string
  prose: string
  parse(text: string): T
  /** The value is never shown. */
  secret?: boolean
}

/** For a secret that a person chose: shorter ones can be guessed, however slowly. */
const minSecretLength = 16

const option = <T>(value: Option<T>): Option<T> => value

/** "" or an address of http or https. */
function url(text: string): string {
  if (text !== '' && !/^https?:\/\/[^/]/.test(text)) throw new Error('must begin with http:// or https://')
  return text
}

export const options = {
  host: option({
    env: 'GRANARY_HOST',
    fallback: '127.0.0.1',
    prose: 'Address to listen on. Service endpoints use it too.',
    parse: (text) => text,
  }),
  port: option({
    env: 'GRANARY_PORT',
    fallback: '8080',
    prose: 'Port of both APIs; 0 takes a free one.',
    parse: (text) => integer(text, 0, 65_535),
  }),
  dataDir: option({
    env: 'GRANARY_DATA_DIR',
    fallback: './data',
    prose: 'Where everything is kept: the store, the secret key, credentials.json.',
    parse: (text) => text,
  }),
  databaseUrl: option({
    env: 'GRANARY_DATABASE_URL',
    fallback: '',
    prose: 'postgres://… for several control planes on one store. Unset: SQLite in the data directory.',
    parse: (text) => {
      if (text !== '' && !/^postgres(ql)?:\/\//.test(text)) throw new Error('must begin with postgres://')
      return text
    },
    secret: true,
  }),
  servicePorts: option({
    env: 'GRANARY_SERVICE_PORTS',
    fallback: '18123-18622',
    prose: 'Endpoint ports of services, first to last; each service takes one.',
    parse: (text) => {
      const [, first, last] = /^(\d+)-(\d+)$/.exec(text) ?? []
      if (first === undefined || last === undefined) throw new Error('must look like 18123-18622')
      const range = { from: integer(first, 1, 65_535), to: integer(last, 1, 65_535) }
      if (range.from > range.to) throw new Error('the first port is above the last')
      return range
    },
  }),
  console: option({
    env: 'GRANARY_CONSOLE',
    fallback: 'on',
    prose: 'on serves the web console at /; off serves the APIs and their reference only.',
    parse: (text) => {
      if (text !== 'on' && text !== 'off') throw new Error('must be on or off')
      return text
    },
  }),
  engine: option({
    env: 'GRANARY_ENGINE',
    fallback: 'embedded',
    prose: 'embedded runs warehouses on this machine; none runs nothing and keeps what is asked for.',
    parse: (text) => {
      const engine = (['embedded', 'none'] as const).find((candidate) => candidate === text)
      if (engine === undefined) throw new Error('must be embedded or none')
      return engine
    },
  }),
  engineLibrary: option({
    env: 'GRANARY_ENGINE_LIBRARY',
    fallback: '',
    prose:
      "Path of a libchdb.so (Linux), or of the directory of an addon's package. Unset: the one from npm.",
    parse: (text) => text,
  }),
  isolation: option({
    env: 'GRANARY_ISOLATION',
    fallback: 'preferred',
    prose:
      'Whether the operating system confines processes that run SQL: required starts only where it can, preferred warns where it cannot, off is for debugging.',
    parse: (text) => {
      const isolation = isolations.find((candidate) => candidate === text)
      if (isolation === undefined) throw new Error(`must be one of ${isolations.join(', ')}`)
      return isolation
    },
  }),
  egressAllow: option({
    env: 'GRANARY_EGRESS_ALLOW',
    fallback: 'public',
    prose:
      'Where SQL may connect to beside public addresses: addresses and CIDR ranges separated by commas; private = this machine and private networks; any = everything, link-local too.',
    parse: readEgressList,
  }),
  sourceEgressAllow: option({
    env: 'GRANARY_SOURCE_EGRESS_ALLOW',
    fallback: 'private',
    prose: 'The same for what keys of the management API set up: pipes and the buckets of backups.',
    parse: readEgressList,
  }),
  awsEndpointUrlKinesis: option({
    env: 'AWS_ENDPOINT_URL_KINESIS',
    fallback: '',
    prose: 'Where pipes find Kinesis, instead of at Amazon; the standard variable of AWS.',
    parse: url,
  }),
  awsEndpointUrlSts: option({
    env: 'AWS_ENDPOINT_URL_STS',
    fallback: '',
    prose: 'The same for the roles that pipes assume.',
    parse: url,
  }),
  awsEndpointUrl: option({
    env: 'AWS_ENDPOINT_URL',
    fallback: '',
    prose:
      'The same for both where they have none of their own. Buckets and queues are named by the pipes themselves.',
    parse: url,
  }),
  kinesisSchemaRegistry: option({
    env: 'GRANARY_KINESIS_SCHEMA_REGISTRY',
    fallback: '',
    prose:
      'Where pipes from Kinesis find the schemas of AvroConfluent, such as https://user:password@registry.example.com; sources of Kinesis have no field for it.',
    parse: url,
    secret: true,
  }),
  pipeFileRoots: option({
    env: 'GRANARY_PIPE_FILE_ROOTS',
    fallback: '',
    prose:
      'Folders of this machine whose files pipes may read (file://) beside files/ in the data directory, as absolute paths separated by commas; links must not lead out of them, and the data directory must not be in them.',
    parse: (text): string[] => {
      const folders = text === '' ? [] : text.split(',').map((part) => part.trim())
      if (!folders.every((folder) => isAbsolute(folder) && resolve(folder) !== '/'))
        throw new Error('must be absolute paths, not the root, separated by commas')
      return folders.map((folder) => resolve(folder))
    },
  }),
  pipeChecks: option({
    env: 'GRANARY_PIPE_CHECKS',
    fallback: 'on',
    prose:
      'Whether a pipe is refused when its source cannot be reached or its table does not fit: on, or off, where pipes are created before their sources.',
    parse: (text) => {
      if (text !== 'on' && text !== 'off') throw new Error('must be on or off')
      return text
    },
  }),
  pipeCheckSeconds: option({
    env: 'GRANARY_PIPE_CHECK_SECONDS',
    fallback: '25',
    prose:
      'How long a request waits for the source of a pipe that is tried. The typed client waits 30 seconds for an answer unless it is told otherwise.',
    parse: (text) => integer(text, 1, 600),
  }),
  endpointCertificate: option({
    env: 'GRANARY_ENDPOINT_CERTIFICATE',
    fallback: '',
    prose: 'PEM file with the certificate chain of service endpoints. With the key: endpoints speak https.',
    parse: (text) => text,
  }),
  endpointKey: option({
    env: 'GRANARY_ENDPOINT_KEY',
    fallback: '',
    prose: 'PEM file with the private key of that certificate.',
    parse: (text) => text,
  }),
  adminKey: option({
    env: 'GRANARY_ADMIN_KEY',
    fallback: '',
    prose: `<keyId>:<keySecret> of an admin key that must exist; the secret has at least ${minSecretLength} characters. Unset: the first start makes one.`,
    parse: (text) => {
      if (text === '') return null
      const colon = text.indexOf(':')
      if (colon < 1 || colon === text.length - 1) throw new Error('must look like <keyId>:<keySecret>')
      const keySecret = text.slice(colon + 1)
      if (keySecret.length < minSecretLength)
        throw new Error(`the secret must have at least ${minSecretLength} characters`)
      return { keyId: text.slice(0, colon), keySecret }
    },
    secret: true,
  }),
  dashboardToken: option({
    env: 'GRANARY_DASHBOARD_TOKEN',
    fallback: '',
    prose: `A dashboard token that must exist, of at least ${minSecretLength} characters. Unset: the first start makes one.`,
    parse: (text) => {
      if (text === '') return null
      if (!/^[\x21-\x7e]+$/.test(text) || text.length < minSecretLength || text.length > 512)
        throw new Error(`must be ${minSecretLength} to 512 visible ASCII characters`)
      return text
    },
    secret: true,
  }),
  organizationId: option({
    env: 'GRANARY_ORGANIZATION_ID',
    fallback: '',
    prose:
      'Id (UUID) of the organization that the admin key belongs to; made when it does not exist. Unset: the first one.',
    parse: (text) => {
      if (text !== '' && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text))
        throw new Error('must be a UUID')
      return text === '' ? null : text.toLowerCase()
    },
  }),
  secretKey: option({
    env: 'GRANARY_SECRET_KEY',
    fallback: '',
    prose:
      'Base64 of 32 bytes: the key that secrets are sealed with. Unset: the file secret.key in the data directory.',
    parse: (text) => {
      if (text === '') return null
      const bytes = Buffer.from(text, 'base64')
      if (bytes.length !== 32) throw new Error('must be base64 of exactly 32 bytes')
      return new Uint8Array(bytes)
    },
    secret: true,
  }),
  spareReplicas: option({
    env: 'GRANARY_SPARE_REPLICAS',
    fallback: '',
    prose:
      'Processes that have loaded the engine and wait, so that a service wakes sooner; most of their memory is shared with replicas. Unset: 1, or none where the engine is emulated.',
    parse: (text) => (text === '' ? null : integer(text, 0, 100)),
  }),
  rateLimit: option({
    env: 'GRANARY_RATE_LIMIT',
    fallback: '100000',
    prose: 'Requests that a key may make in 10 seconds.',
    parse: (text) => integer(text, 1, 1_000_000_000),
  }),
  maxServices: option({
    env: 'GRANARY_MAX_SERVICES',
    fallback: '500',
    prose: 'Services that an organization may have.',
    parse: (text) => integer(text, 1, 1_000_000),
  }),
  maxKeys: option({
    env: 'GRANARY_MAX_KEYS',
    fallback: '100',
    prose: 'Keys that an organization may have.',
    parse: (text) => integer(text, 1, 1_000_000),
  }),
  endpointOrigins: option({
    env: 'GRANARY_ENDPOINT_ORIGINS',
    fallback: '',
    prose:
      'Comma-separated origins (https://host) of pages whose browsers may send POST to service endpoints; * allows all. Unset: only pages of the endpoint itself.',
    parse: (text): string[] => {
      const origins = text === '' ? [] : text.split(',').map((part) => part.trim().toLowerCase())
      if (!origins.every(isOrigin))
        throw new Error('must be origins as https://host, separated by commas, or *')
      return origins
    },
  }),
  trustProxy: option({
    env: 'GRANARY_TRUST_PROXY',
    fallback: '',
    prose:
      'Comma-separated addresses or CIDR ranges of proxies whose X-Forwarded-For is believed, also at endpoints. Unset: nobody.',
    parse: (text): false | string[] => {
      if (text === '') return false
      const sources = text.split(',').map((part) => part.trim())
      if (!sources.every(isIpSource)) throw new Error('must be addresses or CIDR ranges, separated by commas')
      return sources
    },
  }),
  webhookAllow: option({
    env: 'GRANARY_WEBHOOK_ALLOW',
    fallback: '',
    prose:
      'Where webhooks of alerts may go beside public addresses: addresses and CIDR ranges separated by commas. Unset: nowhere else.',
    parse: (text) => readEgressList(text || 'public'),
  }),
  dashboardsDir: option({
    env: 'GRANARY_DASHBOARDS_DIR',
    fallback: '',
    prose:
      'A folder whose *.json files are dashboards of the first organization, kept in step within 10 seconds. Unset: none.',
    parse: (text) => text,
  }),
  demoRows: option({
    env: 'GRANARY_DEMO_ROWS',
    fallback: '3000000',
    prose: 'About how many requests a new demo has, over seven days.',
    parse: (text) => integer(text, 1_000, 100_000_000),
  }),
  tileTimeoutSeconds: option({
    env: 'GRANARY_TILE_TIMEOUT_SECONDS',
    fallback: '30',
    prose: 'How long a statement of a dashboard tile may run.',
    parse: (text) => integer(text, 1, 3_600),
  }),
  tileMemoryMb: option({
    env: 'GRANARY_TILE_MEMORY_MB',
    fallback: '2048',
    prose: 'How much memory a statement of a dashboard tile may use.',
    parse: (text) => integer(text, 1, 1_048_576),
  }),
  tileReadRows: option({
    env: 'GRANARY_TILE_READ_ROWS',
    fallback: '0',
    prose: 'How many rows a statement of a dashboard tile may read; 0 = no limit.',
    parse: (text) => integer(text, 0, Number.MAX_SAFE_INTEGER),
  }),
  tileResultRows: option({
    env: 'GRANARY_TILE_RESULT_ROWS',
    fallback: '200000',
    prose:
      'How many rows a statement of a dashboard tile may answer, and the tile itself with its gaps filled.',
    parse: (text) => integer(text, 1, 10_000_000),
  }),
  timeScale: option({
    env: 'GRANARY_TIME_SCALE',
    fallback: '1',
    prose:
      'For tests and demos: idle timeouts, backup periods and autoscale windows pass so many times faster.',
    parse: (text) => {
      const scale = Number(text)
      if (!(scale > 0 && scale <= 1_000_000)) throw new Error('must be a number above 0')
      return scale
    },
  }),
  logLevel: option({
    env: 'GRANARY_LOG_LEVEL',
    fallback: 'info',
    prose: 'debug, info, warn, error or silent. Successful reads are logged at debug.',
    parse: (text) => {
      const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const
      const level = levels.find((candidate) => candidate === text)
      if (level === undefined) throw new Error(`must be one of ${levels.join(', ')}`)
      return level
    },
  }),
} as const

function integer(text: string, min: number, max: number): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max)
    throw new Error(`must be a whole number from ${min} to ${max}`)
  return value
}

function isOrigin(text: string): boolean {
  return text === '*' || (URL.canParse(text) && new URL(text).origin === text)
}

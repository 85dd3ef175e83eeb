import type { ObjectStorageSource } from '../../domain/pipe/types.ts'
import { quoteString } from '../../lib/clickhouse/identifiers.ts'
import type { AwsKeys } from '../aws/assumed-role.ts'
import type { SourceObject } from '../source.ts'
import { isPlainName } from './names.ts'
import type { BucketPlace, ContainerPlace } from './place.ts'

/** How the engine reads a list of objects. The texts hold secrets: they belong into statements, and nowhere else. */
export interface ObjectReading {
  /**
   * What follows FROM: a table function or a subquery. `structure` is the list of columns, `id UInt64, amt Float64`;
   * null = the engine infers them. Beside those there are the columns `_path`, `_file`, `_size`, `_time` and `_etag`.
   */
  from(structure: string | null): string
  /** The path of the object as people know it, an expression of the columns of `from`. */
  path: string
  /** The object's key, in the same way. */
  key: string
  settings: Record<string, string>
  /** Where the engine connects to. */
  endpoint: { hostname: string; port: number }
}

/** Where the engine finds the objects, and with what it asks for them. */
export type EnginePlace =
  | { kind: 'bucket'; place: BucketPlace; keys: AwsKeys | null }
  | { kind: 'container'; place: ContainerPlace; connectionString: string }

export type ReadOptions = Pick<ObjectStorageSource, 'compression' | 'delimiter'> & { format: string }

export function readingOf(
  where: EnginePlace,
  options: ReadOptions,
  objects: readonly Pick<SourceObject, 'key'>[],
): ObjectReading {
  const keys = objects.map(({ key }) => key)
  const call = where.kind === 'bucket' ? bucketCall(where, options) : containerCall(where, options)
  const root = where.kind === 'bucket' ? where.place.bucket : where.place.container
  return {
    from: (structure) => joined(keys, root, (names) => call(names, structure ?? 'auto')),
    path: '_path',
    // After the bucket and a slash.
    key: `substring(_path, ${Buffer.byteLength(root) + 2})`,
    settings: settingsOf(options),
    endpoint: endpointOf(where),
  }
}

/** Names within a list may not have wildcards, braces or commas; an object whose name does is read separately. */
function joined(keys: readonly string[], root: string, call: (name: string) => string): string {
  const plain = keys.filter(isPlainName)
  const others = keys.filter((key) => !isPlainName(key))
  if (others.length === 0) return call(listed(plain))
  const calls = others.map((key) => {
    // As a pattern the name matches itself, and the path leaves no other.
    const pattern = key.replace(/[{}]/g, '?')
    return `${call(pattern)} WHERE _path = ${quoteString(`${root}/${key}`)}`
  })
  if (plain.length > 0) calls.unshift(call(listed(plain)))
  return `(${calls.map((text) => `SELECT *, _path, _file, _size, _time, _etag FROM ${text}`).join(' UNION ALL ')})`
}

/** `{a,b}`, with what all names begin with before the brace. */
function listed(keys: readonly string[]): string {
  const [first = '', ...rest] = keys
  if (rest.length === 0) return first
  let length = first.length
  for (const key of rest) while (!key.startsWith(first.slice(0, length))) length -= 1
  // Half of a surrogate pair is no text.
  if (/[\ud800-\udbff]$/.test(first.slice(0, length))) length -= 1
  return `${first.slice(0, length)}{${keys.map((key) => key.slice(length)).join(',')}}`
}

type Call = (name: string, structure: string) => string

function bucketCall({ place, keys }: EnginePlace & { kind: 'bucket' }, options: ReadOptions): Call {
  const { endpoint, bucket, isInHost, isGoogle } = place
  const base = isInHost
    ? endpoint.replace('://', `://${bucket}.`)
    : `${endpoint}/${encodeURIComponent(bucket)}`
  const { accessKeyId, secretAccessKey, sessionToken } = keys ?? {}
  const secrets = [accessKeyId, secretAccessKey, sessionToken].filter((text) => text !== undefined)
  const access = keys === null ? ['NOSIGN'] : secrets.map(quoteString)
  return (name, structure) => {
    const texts = [options.format, structure, options.compression].map(quoteString)
    const url = quoteString(`${base}/${escapedName(name)}`)
    return `${isGoogle ? 'gcs' : 's3'}(${[url, ...access, ...texts].join(', ')})`
  }
}

function containerCall(
  { place, connectionString }: EnginePlace & { kind: 'container' },
  options: ReadOptions,
): Call {
  return (name, structure) => {
    const texts = [connectionString, place.container, name, options.format, options.compression, structure]
    return `azureBlobStorage(${texts.map(quoteString).join(', ')})`
  }
}

/** The engine decodes the path of a URL once; the marks of a list stay as they are. */
const escapedName = (name: string): string =>
  encodeURIComponent(name).replace(/%(?:2F|7B|7D|2C|2A|3F)/g, (code) =>
    code === '%3F' ? code : decodeURIComponent(code),
  )

function settingsOf({ format, delimiter }: ReadOptions): Record<string, string> {
  const settings: Record<string, string> = {
    // A batch may name ten thousand objects.
    max_query_size: '8388608',
    // Folders like `day=1` must not replace a column of the same name.
    use_hive_partitioning: '0',
    input_format_skip_unknown_fields: '1',
    input_format_avro_allow_missing_fields: '1',
    input_format_parquet_allow_missing_columns: '1',
  }
  if (format === 'CSV' || format === 'CSVWithNames' || format === 'LineAsString') {
    settings.format_csv_delimiter = delimiter
    settings.input_format_csv_allow_variable_number_of_columns = '1'
  }
  if (format === 'TabSeparated' || format === 'TabSeparatedWithNames') {
    settings.input_format_tsv_allow_variable_number_of_columns = '1'
  }
  return settings
}

function endpointOf(where: EnginePlace): ObjectReading['endpoint'] {
  const url = new URL(where.kind === 'bucket' ? where.place.endpoint : blobEndpoint(where.connectionString))
  const isInHost = where.kind === 'bucket' && where.place.isInHost
  return {
    hostname: isInHost ? `${where.place.bucket}.${url.hostname}` : url.hostname,
    port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
  }
}

/** What a connection string says about the address of the account. */
function blobEndpoint(connectionString: string): string {
  const parts = new Map(
    connectionString.split(';').map((part): [string, string] => {
      const cut = part.indexOf('=')
      return [part.slice(0, cut).trim().toLowerCase(), part.slice(cut + 1)]
    }),
  )
  const suffix = parts.get('endpointsuffix') ?? 'core.windows.net'
  const made = `${parts.get('defaultendpointsprotocol') ?? 'https'}://${parts.get('accountname')}.blob.${suffix}`
  return parts.get('blobendpoint') ?? made
}

import type { IncomingHttpHeaders } from 'node:http'
import { quoteIdentifier, quoteString } from '../../../../lib/clickhouse/identifiers.ts'
import { isFormBody, textOfForm } from '../../../../lib/clickhouse/statement-text.ts'
import { readAddress } from '../../../../lib/egress/address.ts'
import type { Endpoint } from '../../../../process/confine/egress.ts'
import { EngineError } from '../../engine-error.ts'
import { takesSetting } from '../../filter/request-settings.ts'
import { tagSetting } from '../../filter/settings.ts'
import { replicaHeaders } from '../../protocol.ts'

/** The parameters of a request, read as ClickHouse's HTTP interface reads them. */
export interface Parameters {
  /** Every `query` of the URL; for a form, only the whole text. */
  queries: string[]
  queryId: string
  /** '' = the default database. */
  database: string
  defaultFormat: string
  /** Every parameter of the URL that is not in `ours` is a setting; in the order given. */
  settings: [name: string, value: string][]
  /** Values of `{name:Type}`, without the `param_`. */
  substitutions: [name: string, value: string][]
  session: SessionWish | null
  /** The answer (`compress`) or the body (`decompress`) is in ClickHouse's own compressed blocks. */
  compress: boolean
  decompress: boolean
  /** The answer may be compressed according to `Accept-Encoding`. */
  httpCompression: boolean
  compressionLevel: number
  waitEndOfQuery: boolean
  bufferBytes: number
  cors: boolean
  /** An exception in the middle of a result is written in the result's format, if the format has a way. */
  writesException: boolean
  /** '' = the engine's time zone. */
  timezone: string
  user: string
  /** The request may only read, because of its user or its method: GET never changes anything. */
  readOnly: boolean
  /** The statement runs in the engine's read-only mode, as all do on a reader: a change there would be lost. */
  isEngineReadOnly: boolean
  /** From a part of the product, see `replicaHeaders`; null = not given. */
  records: number | null
  endpoints: readonly Endpoint[]
  /** Structures and formats of external tables in the body: `name_structure`, `name_types`, `name_format`. */
  external: Map<string, string>
}

export interface SessionWish {
  /** From the gateway, unique for service, user and session. */
  key: string
  /** The part of the key that is the service and the user. */
  owner: string
  /** The session id that the client gave. */
  id: string
  timeoutMs: number
  mustExist: boolean
  closeAfter: boolean
}

export interface GivenParameters {
  method: string
  search: string
  headers: IncomingHttpHeaders
  /** The fields of a form; null = the body is no form. */
  form?: readonly [string, string][] | null
  isReader?: boolean
}

export function readParameters(request: GivenParameters): Parameters {
  const { method, search, headers, form = null, isReader = false } = request
  const given = new URLSearchParams(search)
  const hasTables = isFormBody(method, String(headers['content-type']))
  const of = (name: string): string => given.get(name) ?? ''
  const readOnly = headers[replicaHeaders.access] === 'ro' || (method !== 'POST' && method !== 'PUT')
  const parameters: Parameters = {
    queries: given.getAll('query'),
    queryId: of('query_id') || single(headers['x-clickhouse-query-id']),
    database: single(headers['x-clickhouse-database']) || of('database'),
    defaultFormat: single(headers['x-clickhouse-format']) || of('default_format'),
    settings: [],
    substitutions: [],
    session: readSession(given, headers),
    compress: isOn(of('compress')),
    decompress: isOn(of('decompress')),
    httpCompression: isOn(of('enable_http_compression')),
    compressionLevel: Number(of('http_zlib_compression_level') || 3),
    waitEndOfQuery: isOn(of('http_wait_end_of_query') || of('wait_end_of_query')),
    bufferBytes: Number(of('http_response_buffer_size') || of('buffer_size')) || 0,
    writesException: isOn(of('http_write_exception_in_output_format')),
    cors: isOn(of('add_http_cors_header')) && headers.origin !== undefined,
    timezone: of('session_timezone'),
    user: single(headers[replicaHeaders.user]),
    readOnly,
    isEngineReadOnly: readOnly || isReader,
    records: readCount(single(headers[replicaHeaders.records])),
    endpoints: readEndpoints(single(headers[replicaHeaders.endpoints])),
    external: new Map(),
  }
  for (const [name, value] of given) {
    if (name === '' || ours.has(name)) continue
    if (name.startsWith('param_')) parameters.substitutions.push([name.slice(6), value])
    else if (hasTables && tableParameter.test(name)) parameters.external.set(name, value)
    else if (!settingName.test(name))
      throw new EngineError(115, 'UNKNOWN_SETTING', `Unknown setting '${name}'`)
    else if (takesSetting(name, value)) parameters.settings.push([name, value])
  }
  if (form !== null) addFields(parameters, form)
  return parameters
}

/**
 * From a form ClickHouse takes the text, its substitutions and the parameters of external tables. The gateway has not
 * seen the other fields, so none of them may choose a user, a session or a setting.
 */
function addFields(parameters: Parameters, form: readonly [string, string][]): void {
  const texts: string[] = []
  for (const [name, value] of form) {
    if (name === 'query') texts.push(value)
    else if (name.startsWith('param_')) parameters.substitutions.push([name.slice(6), value])
    else if (tableParameter.test(name)) parameters.external.set(name, value)
    else {
      const message = `The field '${name}' cannot be given in a form: parameters other than query, param_… and those of tables belong in the URL`
      throw new EngineError(36, 'BAD_ARGUMENTS', message)
    }
  }
  parameters.queries = [textOfForm(parameters.queries, texts)]
}

/** The statements that set up a fresh connection for a request; '' = none. */
export function setupStatements({ isEngineReadOnly, settings, database }: Parameters): string {
  const statements: string[] = []
  if (isEngineReadOnly) statements.push('SET readonly = 2')
  if (settings.length > 0) statements.push(setStatement(settings))
  if (database !== '') statements.push(`USE ${quoteIdentifier(database)}`)
  return statements.join(';')
}

export const setStatement = (settings: Iterable<[string, string]>): string =>
  `SET ${Array.from(settings, ([name, value]) => `${name} = ${quoteString(value)}`).join(', ')}`

/** Goes before the statement itself. Positions in error messages do not count the text before a `;`. */
export function substitutionsPrefix(substitutions: Parameters['substitutions']): string {
  return substitutions.length === 0 ? '' : `${setSubstitutions(substitutions)};`
}

/** Clears the substitutions of a request, so that the next one on the connection does not see their values. */
export const forgetSubstitutions = (substitutions: Parameters['substitutions']): string =>
  setSubstitutions(substitutions.map(([name]) => [name, '']))

const setSubstitutions = (substitutions: Parameters['substitutions']): string =>
  setStatement(substitutions.map(([name, value]) => [`param_${checkName(name)}`, value]))

function checkName(name: string): string {
  if (settingName.test(name)) return name
  throw new EngineError(36, 'BAD_ARGUMENTS', `Wrong name of a query parameter: '${name}'`)
}

const tableParameter = /_(structure|types|format)$/

const settingName = /^[A-Za-z_][A-Za-z0-9_.]*$/

/** Not settings, or settings that only the replica reads; asynchronous inserts are not offered. */
const ours = new Set(
  `query query_id database default_format session_id session_timeout session_check close_session compress decompress
  enable_http_compression http_zlib_compression_level wait_end_of_query http_wait_end_of_query buffer_size
  http_response_buffer_size add_http_cors_header user password quota_key role stacktrace client_protocol_version
  send_progress_in_http_headers http_headers_progress_interval_ms cancel_http_readonly_queries_on_client_close
  http_write_exception_in_output_format http_native_compression_disable_checksumming_on_decompress async_insert
  wait_for_async_insert wait_for_async_insert_timeout async_insert_busy_timeout_ms async_insert_max_data_size
  input_format_values_interpret_expressions input_format_values_deduce_templates_of_expressions
  ${tagSetting}`.split(/\s+/),
)

/** The gateway, which knows the user, names the session in a header; the URL's `session_id` does not choose it. */
function readSession(given: URLSearchParams, headers: IncomingHttpHeaders): SessionWish | null {
  const key = single(headers[replicaHeaders.session])
  const isEmpty = given.get('session_id') === ''
  if (key === '' && !isEmpty) return null
  if (key === '') {
    throw new EngineError(
      744,
      'SESSION_ID_EMPTY',
      'Session id query parameter was provided, but it was empty',
    )
  }
  const idStart = key.lastIndexOf(':') + 1
  return {
    key,
    owner: key.slice(0, idStart),
    id: decodeURIComponent(key.slice(idStart)),
    timeoutMs: readTimeoutSeconds(given.get('session_timeout')) * 1000,
    mustExist: given.get('session_check') === '1',
    closeAfter: isOn(given.get('close_session') ?? ''),
  }
}

function readTimeoutSeconds(text: string | null): number {
  if (text === null) return 60
  if (!/^\d{1,9}$/.test(text)) {
    throw new EngineError(374, 'INVALID_SESSION_TIMEOUT', `Invalid session timeout: '${text}'`)
  }
  if (Number(text) > 3600) {
    const message = `Session timeout '${text}' is larger than max_session_timeout: 3600. Maximum session timeout could be modified in configuration file`
    throw new EngineError(374, 'INVALID_SESSION_TIMEOUT', message)
  }
  return Number(text)
}

const readCount = (text: string): number | null => (text === '' ? null : Number(text))

function readEndpoints(text: string): Endpoint[] {
  return text
    .split(',')
    .filter((part) => part !== '')
    .map((part) => {
      const at = part.lastIndexOf(':')
      const address = readAddress(part.slice(0, at).replace(/^\[|\]$/g, ''))
      if (address === null) throw new EngineError(36, 'BAD_ARGUMENTS', `${part} is no endpoint`)
      return { address, port: Number(part.slice(at + 1)) }
    })
}

const isOn = (value: string): boolean => value === '1' || value.toLowerCase() === 'true'

const single = (value: string | string[] | undefined): string =>
  (Array.isArray(value) ? value[0] : value) ?? ''

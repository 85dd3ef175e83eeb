/** A statement of a caller of the API, and who it is. */
export interface StatementRequest {
  serviceId: string
  /** Shown in `system.processes` and `system.query_log`, for example `key:6f…`. */
  principal: string
  /** The engine itself refuses every change; no text is looked at for that. */
  isReadOnly: boolean
  query: string
  /** Absent = the default database. */
  database?: string
  /** Values of `{name:Type}`. */
  parameters?: Readonly<Record<string, ParameterValue>>
  /** Settings of the engine for this statement. */
  settings?: Readonly<Record<string, string | number | boolean>>
  queryId: string
  signal: AbortSignal
}

export type ParameterValue = Scalar | readonly Scalar[]
type Scalar = string | number | boolean | null

/** The database, the settings and the parameters, as the URL of ClickHouse's HTTP interface names them. */
export function urlParametersOf({ database, settings = {}, parameters = {} }: StatementRequest) {
  const given: Record<string, string> = {}
  for (const [name, value] of Object.entries(settings)) given[name] = settingText(value)
  for (const [name, value] of Object.entries(parameters)) given[`param_${name}`] = parameterText(value)
  if (database !== undefined) given['database'] = database
  return given
}

const settingText = (value: string | number | boolean): string =>
  typeof value === 'boolean' ? String(Number(value)) : String(value)

/** The engine reads a value as a field of TSV; within an array, texts are in quotes. */
function parameterText(value: ParameterValue): string {
  if (value === null) return '\\N'
  if (typeof value === 'string') return escaped(value)
  if (typeof value !== 'object') return String(value)
  const items = value.map((item) => {
    if (item === null) return 'NULL'
    return typeof item === 'string' ? `'${escaped(item)}'` : String(item)
  })
  return `[${items.join(',')}]`
}

const escapes: Record<string, string> = { '\\': '\\\\', "'": "\\'", '\t': '\\t', '\n': '\\n', '\r': '\\r' }
const escaped = (text: string): string => text.replaceAll(/[\\'\t\n\r]/g, (letter) => escapes[letter] ?? '')

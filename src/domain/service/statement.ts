import type { Issue } from '../issue.ts'

/** The limits of a statement through the API. */
export const statementLimits = {
  queryLength: 900_000,
  defaultRows: 10_000,
  /** More rows than anybody reads: their number only has to be exact in JSON. */
  maxRows: 1e15,
  names: 100,
  valueLength: 65_536,
  /** Of all settings and parameters, as the engine gets them in a URL. */
  urlLength: 500_000,
  arrayItems: 10_000,
} as const

/** The formats of the engine that a result can be exported in. */
export const exportFormats = [
  ...['CSV', 'CSVWithNames', 'CSVWithNamesAndTypes', 'TSV', 'TSVWithNames', 'TSVWithNamesAndTypes'],
  ...['TSVRaw', 'TabSeparated', 'TabSeparatedWithNames', 'TabSeparatedWithNamesAndTypes', 'TabSeparatedRaw'],
  ...['JSON', 'JSONStrings', 'JSONColumns', 'JSONColumnsWithMetadata', 'JSONCompact', 'JSONCompactStrings'],
  ...['JSONCompactColumns', 'JSONEachRow', 'JSONStringsEachRow', 'JSONCompactEachRow', 'JSONObjectEachRow'],
  ...['JSONCompactEachRowWithNames', 'JSONCompactEachRowWithNamesAndTypes', 'JSONCompactStringsEachRow'],
  ...[
    'PrettyJSONEachRow',
    'Pretty',
    'PrettyCompact',
    'PrettySpace',
    'PrettyNoEscapes',
    'Vertical',
    'Markdown',
  ],
  ...[
    'Values',
    'SQLInsert',
    'XML',
    'RowBinary',
    'RowBinaryWithNames',
    'RowBinaryWithNamesAndTypes',
    'Native',
  ],
  ...['PrettyCompactMonoBlock', 'TSKV', 'LineAsString', 'NDJSON', 'JSONLines', 'TSVRawWithNames'],
  ...['Parquet', 'Arrow', 'ArrowStream', 'ORC', 'Avro', 'MsgPack', 'BSONEachRow', 'RawBLOB', 'Null'],
] as const
export type ExportFormat = (typeof exportFormats)[number]

export interface GivenNames {
  parameters?: Readonly<Record<string, unknown>>
  settings?: Readonly<Record<string, unknown>>
}

/** What is wrong with the settings and parameters of a statement; the engine judges their values. */
export function namesIssues({ parameters = {}, settings = {} }: GivenNames): Issue[] {
  const issues: Issue[] = []
  for (const [field, given] of Object.entries({ parameters, settings })) {
    for (const name of Object.keys(given)) {
      if (!nameForm.test(name))
        issues.push({
          path: [field, name],
          code: 'invalid_format',
          message: 'is no name that the engine takes',
        })
      else if (field === 'settings' && (reserved.has(name) || name.startsWith('param_')))
        issues.push({ path: [field, name], code: 'not_allowed', message: 'is no setting of a statement' })
    }
  }
  if (encodeURIComponent(JSON.stringify([parameters, settings])).length > statementLimits.urlLength)
    issues.push({
      path: ['parameters'],
      code: 'too_long',
      message: 'are too long together with the settings',
    })
  return issues
}

const nameForm = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/

/** Parameters of ClickHouse's HTTP interface that are no settings, or that change the form of the answer. */
const reserved: ReadonlySet<string> = new Set(
  `query query_id database default_format session_id session_timeout session_check close_session compress decompress
  enable_http_compression http_zlib_compression_level wait_end_of_query http_wait_end_of_query buffer_size
  http_response_buffer_size add_http_cors_header user password quota_key role stacktrace client_protocol_version
  http_write_exception_in_output_format`.split(/\s+/),
)

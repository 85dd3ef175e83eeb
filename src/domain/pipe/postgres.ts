import type { Issue } from '../issue.ts'
import { under } from '../issue.ts'
import type { PostgresInput } from './input.ts'
import { checkCertificate } from './kafka.ts'
import { portLimits, postgresNumberSettings } from './limits.ts'
import { duplicates, issue, missing, missingTexts, notAllowed } from './rule.ts'
import type { PipeSecrets, PostgresSettings, PostgresSource, TableMapping } from './types.ts'
import { isHost } from './url.ts'

/** Fills in the defaults and separates the secrets. */
export function resolvePostgres(input: PostgresInput): {
  source: PostgresSource
  secrets: PipeSecrets
  issues: Issue[]
} {
  const authentication = input.authentication ?? 'basic'
  const { secrets, issues } = readPostgresSecrets(input, authentication)
  return {
    source: {
      type: input.type ?? 'postgres',
      host: input.host ?? '',
      port: input.port ?? portLimits.default,
      database: input.database ?? '',
      authentication,
      iamRole: input.iamRole ?? '',
      tlsHost: input.tlsHost ?? '',
      caCertificate: input.caCertificate ?? '',
      disableTls: input.disableTls ?? false,
      skipCertVerification: input.skipCertVerification ?? false,
      settings: resolveSettings(input.settings),
      tableMappings: (input.tableMappings ?? []).map(resolveMapping),
    },
    secrets,
    issues,
  }
}

/** The password may be empty (some servers trust their network), but with `basic` it must be sent. */
export function readPostgresSecrets(
  { credentials }: PostgresInput,
  authentication: PostgresSource['authentication'],
): { secrets: PipeSecrets; issues: Issue[] } {
  if (credentials === undefined) return { secrets: {}, issues: [] }
  const { username = '', password } = credentials
  if (username === '' && !password) return { secrets: {}, issues: [] }
  const issues: Issue[] = []
  if (username === '') issues.push(missing(['credentials', 'username']))
  if (password === undefined && authentication === 'basic') issues.push(missing(['credentials', 'password']))
  return { secrets: { credentials: { username, password: password ?? '' } }, issues }
}

export function resolveMapping(input: Partial<TableMapping>): TableMapping {
  return {
    sourceSchemaName: input.sourceSchemaName ?? '',
    sourceTable: input.sourceTable ?? '',
    targetTable: input.targetTable ?? '',
    excludedColumns: input.excludedColumns ?? [],
    useCustomSortingKey: input.useCustomSortingKey ?? false,
    sortingKeys: input.sortingKeys ?? [],
    tableEngine: input.tableEngine ?? 'ReplacingMergeTree',
    partitionKey: input.partitionKey ?? '',
    partitionByExpr: input.partitionByExpr ?? '',
  }
}

/** Rules on a whole source, except for its secrets. */
export function checkPostgres(source: PostgresSource): Issue[] {
  const issues = missingTexts(source, ['host', 'database'])
  if (source.host !== '' && (!isHost(source.host) || /:\d+$/.test(source.host.replace(/^\[.*\]/, '')))) {
    const message = 'A host name or address alone is expected: the port, user and database have own fields.'
    issues.push(issue(['host'], 'invalid_format', message))
  }
  if (source.authentication === 'IAM_ROLE' && source.iamRole === '') issues.push(missing(['iamRole']))
  if (source.disableTls) {
    const set = (['tlsHost', 'caCertificate'] as const).filter((name) => source[name] !== '')
    issues.push(...set.map((name) => notAllowed([name], 'It has no meaning while disableTls is true.')))
    if (source.skipCertVerification) {
      issues.push(notAllowed(['skipCertVerification'], 'It has no meaning while disableTls is true.'))
    }
  }
  issues.push(...checkCertificate(['caCertificate'], source.caCertificate))
  issues.push(...under(['settings'], checkSettings(source.settings)))
  if (source.tableMappings.length === 0) {
    issues.push(missing(['tableMappings'], 'At least one table has to be mapped.'))
  }
  return [...issues, ...under(['tableMappings'], checkMappings(source.tableMappings))]
}

/** Rules on a list of mappings; paths start with the position in the list. */
export function checkMappings(mappings: readonly TableMapping[]): Issue[] {
  const issues = mappings.flatMap((mapping, index) => under([index], checkMapping(mapping)))
  const targets = mappings.map((mapping) => mapping.targetTable)
  const message = 'Another mapping writes into this table already.'
  return [...issues, ...duplicates(targets, (index) => [index, 'targetTable'], message)]
}

function checkMapping(mapping: TableMapping): Issue[] {
  const { sortingKeys, excludedColumns, useCustomSortingKey } = mapping
  const issues = missingTexts(mapping, ['sourceSchemaName', 'sourceTable', 'targetTable'])
  if (useCustomSortingKey && sortingKeys.length === 0) {
    issues.push(missing(['sortingKeys'], 'useCustomSortingKey needs the columns to sort by.'))
  }
  if (!useCustomSortingKey && sortingKeys.length > 0) {
    issues.push(notAllowed(['sortingKeys'], 'They are used only with useCustomSortingKey.'))
  }
  for (const name of ['excludedColumns', 'sortingKeys'] as const) {
    issues.push(...duplicates(mapping[name], (index) => [name, index], 'The column is named twice.'))
  }
  const excluded = new Set(excludedColumns)
  for (const [index, key] of sortingKeys.entries()) {
    if (excluded.has(key)) issues.push(notAllowed(['sortingKeys', index], 'The column is excluded.'))
  }
  return issues
}

function checkSettings(settings: PostgresSettings): Issue[] {
  if (settings.replicationSlotName === '') return []
  const issues: Issue[] = []
  if (settings.replicationMode !== 'cdc_only') {
    const message = 'A slot of your own is used only with the replicationMode cdc_only.'
    issues.push(notAllowed(['replicationSlotName'], message))
  }
  if (settings.enableFailoverSlots) {
    const message = 'Only a slot that the pipe makes itself can be a failover slot.'
    issues.push(notAllowed(['enableFailoverSlots'], message))
  }
  return issues
}

function resolveSettings(input: Partial<PostgresSettings> = {}): PostgresSettings {
  const number = (name: keyof typeof postgresNumberSettings): number =>
    input[name] ?? postgresNumberSettings[name].default
  const replicationSlotName = input.replicationSlotName ?? ''
  return {
    // An existing slot holds the changes since its creation, which is what cdc_only reads.
    replicationMode: input.replicationMode ?? (replicationSlotName === '' ? 'cdc' : 'cdc_only'),
    syncIntervalSeconds: number('syncIntervalSeconds'),
    pullBatchSize: number('pullBatchSize'),
    publicationName: input.publicationName ?? '',
    replicationSlotName,
    allowNullableColumns: input.allowNullableColumns ?? false,
    initialLoadParallelism: number('initialLoadParallelism'),
    snapshotNumRowsPerPartition: number('snapshotNumRowsPerPartition'),
    snapshotNumberOfParallelTables: number('snapshotNumberOfParallelTables'),
    enableFailoverSlots: input.enableFailoverSlots ?? false,
    deleteOnMerge: input.deleteOnMerge ?? false,
  }
}

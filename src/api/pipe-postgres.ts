import {
  listLength,
  mappingEngines,
  postgresNumberSettings as numbers,
  portLimits,
  postgresAuthentications,
  postgresTypes,
  replicationModes,
  textLength,
} from '../domain/pipe/limits.ts'
import { certificate, iamRole, optionals, secret, whole, word } from './pipe-fields.ts'
import { closed, flag, list, oneOf, optional, text } from './schema.ts'

const columns = (description: string) =>
  list(text('A column.', { minLength: 1, maxLength: textLength.identifier }), description, {
    maxItems: listLength.columns,
  })
const tables = { maxItems: listLength.tables }

const mapping = {
  sourceSchemaName: word('The schema of the source table.'),
  sourceTable: word('The source table.'),
  targetTable: word('The table to write; no two mappings share one.'),
  excludedColumns: columns('Source columns that are left out.'),
  useCustomSortingKey: flag('Sorts by sortingKeys instead of the primary key. Default false.'),
  sortingKeys: columns('The columns to sort by; only with useCustomSortingKey.'),
  tableEngine: oneOf(mappingEngines, 'Default ReplacingMergeTree.'),
  partitionKey: word('The column by which the first load is split. Empty: by physical position.'),
  partitionByExpr: text('Partition expression of the target table.', { maxLength: textLength.expression }),
}
const { sourceSchemaName, sourceTable, targetTable } = mapping
const MappingBody = closed({ ...optionals(mapping), sourceSchemaName, sourceTable, targetTable })

const settings = {
  replicationMode: oneOf(
    replicationModes,
    'cdc loads the tables, then follows changes; snapshot only loads; cdc_only only follows. Default cdc, or cdc_only with a slot name.',
  ),
  syncIntervalSeconds: whole(numbers.syncIntervalSeconds, 'Longest time between two batches of changes.'),
  pullBatchSize: whole(numbers.pullBatchSize, 'Most rows in a batch of changes.'),
  publicationName: word('Empty: the pipe makes a publication.'),
  replicationSlotName: word('A slot of your own; only with cdc_only. Empty: the pipe makes one.'),
  allowNullableColumns: flag('Keeps NULL; otherwise it becomes the default of the type. Default false.'),
  initialLoadParallelism: whole(numbers.initialLoadParallelism, 'Readers per table in the first load.'),
  snapshotNumRowsPerPartition: whole(
    numbers.snapshotNumRowsPerPartition,
    'Rows per piece of the first load.',
  ),
  snapshotNumberOfParallelTables: whole(numbers.snapshotNumberOfParallelTables, 'Tables loaded at a time.'),
  enableFailoverSlots: flag(
    'The slot survives a failover (Postgres 17). Not with a slot name. Default false.',
  ),
  deleteOnMerge: flag('Merges drop deleted rows from the target table. Default false.'),
}

const postgres = {
  type: oneOf(postgresTypes, 'The vendor. Default postgres.'),
  host: word('Host name or address, nothing else.'),
  port: whole(portLimits, 'TCP port.'),
  database: word('The database to read.'),
  authentication: oneOf(postgresAuthentications, 'Default basic: user name and password.'),
  iamRole,
  tlsHost: word('The name in the server’s certificate. Empty: the host.'),
  caCertificate: certificate('The authority that signed the server’s certificate, PEM.'),
  disableTls: flag('Connects in the clear. Default false.'),
  skipCertVerification: flag('Encrypts, but trusts any certificate. Default false.'),
}

const parts = {
  credentials: optional(closed({ username: secret('User name.'), password: optional(secret('Password.')) })),
  settings: optional(closed(optionals(settings), { description: 'How the source is read.' })),
}
const tableMappings = list(MappingBody, 'The tables to copy.', { ...tables, minItems: 1 })

export const PostgresBody = closed({
  ...optionals(postgres),
  host: postgres.host,
  database: postgres.database,
  ...parts,
  tableMappings,
})

export const PostgresPatchBody = closed({
  ...optionals(postgres),
  ...parts,
  tableMappings: optional(tableMappings),
  tableMappingsToAdd: optional(list(MappingBody, 'Further tables to copy.', tables)),
  tableMappingsToRemove: optional(
    list(MappingBody, 'Mappings to end, by schema, table and target; removed before any are added.', tables),
  ),
})

/** Declares no credentials, so no answer can carry them. */
export const Postgres = closed({
  ...postgres,
  settings: closed(settings),
  tableMappings: list(closed(mapping), 'The tables to copy.'),
})

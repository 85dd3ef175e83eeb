/**
 * Where the rows of a table are, which is where it can be read:
 * - `shared`: in parts on the disk, which a reader reads too;
 * - `elsewhere`: in other tables, in other systems or nowhere, so that a reader has the same right to them;
 * - `writer`: in the writer's memory or in files of a kind that only one process may open. What is not known is
 *   taken for this: a query for it fails on a reader as for an unknown table, and is then asked of the writer.
 */
export type RowsAt = 'shared' | 'elsewhere' | 'writer'

export function rowsOfTable(engine: string): RowsAt {
  if (mergeTrees.has(engine)) return 'shared'
  return elsewhere.has(engine) ? 'elsewhere' : 'writer'
}

/** `shared` = a database of tables that are followed one by one. */
export function rowsOfDatabase(engine: string): RowsAt {
  if (engine === 'Atomic' || engine === 'Overlay') return 'shared'
  return databasesElsewhere.has(engine) ? 'elsewhere' : 'writer'
}

const mergeTrees = new Set([
  'MergeTree',
  'AggregatingMergeTree',
  'CoalescingMergeTree',
  'CollapsingMergeTree',
  'GraphiteMergeTree',
  'ReplacingMergeTree',
  'SummingMergeTree',
  'VersionedCollapsingMergeTree',
])

const elsewhere = new Set([
  'Alias',
  'ArrowFlight',
  'AzureBlobStorage',
  'COSN',
  'DeltaLake',
  'DeltaLakeAzure',
  'DeltaLakeS3',
  'Dictionary',
  'Distributed',
  'GCS',
  'GenerateRandom',
  'HDFS',
  'Hudi',
  'Iceberg',
  'IcebergAzure',
  'IcebergHDFS',
  'IcebergS3',
  'Merge',
  'MongoDB',
  'MySQL',
  'Null',
  'ODBC',
  'OSS',
  'PaimonAzure',
  'PaimonHDFS',
  'PaimonS3',
  'PostgreSQL',
  'Redis',
  'S3',
  'URL',
  'YTsaurus',
])

const databasesElsewhere = new Set(['DataLakeCatalog', 'HDFS', 'MySQL', 'PostgreSQL', 'S3'])

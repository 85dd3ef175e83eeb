/**
 * Where the rows of a table are, which decides where the table can be read:
 * - `shared`: in parts on the disk, which a reader reads too;
 * - `elsewhere`: in other tables, in other systems or nowhere, so that a reader reaches them just as the writer does;
 * - `writer`: in the writer's memory or in files that only one process may open. Unknown engines count as `writer`: a
 *   query for such a table fails on a reader as for an unknown table, and is then sent to the writer.
 */
export type RowsAt = 'shared' | 'elsewhere' | 'writer'

export function rowsOfTable(engine: string): RowsAt {
  if (mergeTrees.has(engine)) return 'shared'
  return elsewhere.has(engine) ? 'elsewhere' : 'writer'
}

/** `shared` = a database whose tables the reader follows one by one. */
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

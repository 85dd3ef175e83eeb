/** Everything in the engine that connects, aimed at one address; a test compares the names with the engine's lists. */
export interface ConnectingStatement {
  /** As in `system.table_functions`, `system.table_engines` or `system.database_engines`, or a description. */
  name: string
  /** In the form of URL parameters. */
  settings?: string
  /** Statements to run before; one of these may be the one that connects. */
  setup?: string[]
  sql: string
  /** The engine connects in the background, or reports every failure as a missing table. */
  isSilent?: boolean
}

export function connectingFunctions(host: string, port: number): ConnectingStatement[] {
  const at = `${host}:${port}`
  const http = `'http://${at}/bucket/x'`
  const keys = `'key', 'secret'`
  const azure = `'DefaultEndpointsProtocol=http;AccountName=a;AccountKey=${'a'.repeat(85)}A==;BlobEndpoint=http://${at}/a;', 'c', 'x'`
  const structure = `'CSV', 'a Int32'`
  const calls: Record<string, string> = {
    url: `url(${http}, ${structure})`,
    s3: `s3(${http}, ${keys}, ${structure})`,
    gcs: `gcs(${http}, ${keys}, ${structure})`,
    oss: `oss(${http}, ${keys}, ${structure})`,
    cosn: `cosn(${http}, ${keys}, ${structure})`,
    hudi: `hudi(${http}, ${keys})`,
    deltaLake: `deltaLake(${http}, ${keys})`,
    deltaLakeS3: `deltaLakeS3(${http}, ${keys})`,
    deltaLakeAzure: `deltaLakeAzure(${azure})`,
    iceberg: `iceberg(${http}, ${keys})`,
    icebergS3: `icebergS3(${http}, ${keys})`,
    icebergAzure: `icebergAzure(${azure})`,
    icebergHDFS: `icebergHDFS('hdfs://${at}/x')`,
    paimon: `paimon(${http}, ${keys})`,
    paimonS3: `paimonS3(${http}, ${keys})`,
    paimonAzure: `paimonAzure(${azure})`,
    paimonHDFS: `paimonHDFS('hdfs://${at}/x')`,
    azureBlobStorage: `azureBlobStorage(${azure}, 'CSV', 'auto', 'a Int32')`,
    hdfs: `hdfs('hdfs://${at}/x', ${structure})`,
    remote: `remote('${at}', system.one)`,
    remoteSecure: `remoteSecure('${at}', system.one)`,
    mysql: `mysql('${at}', 'd', 't', 'u', 'p')`,
    postgresql: `postgresql('${at}', 'd', 't', 'u', 'p')`,
    mongodb: `mongodb('${at}', 'd', 't', 'u', 'p', 'a Int32')`,
    redis: `redis('${at}', 'a', 'a Int32, b String')`,
    odbc: `odbc('DSN=x;Server=${host};Port=${port}', 'd', 't')`,
    jdbc: `jdbc('jdbc:mysql://${at}/?user=u', 'd', 't')`,
    ytsaurus: `ytsaurus('http://${at}', '//tmp/t', 'token', 'a Int32')`,
  }
  return Object.entries(calls).map(([name, call]) => ({
    name,
    settings: 'allow_experimental_ytsaurus_table_function=1',
    sql: `SELECT * FROM ${call}`,
  }))
}

export function connectingEngines(host: string, port: number): ConnectingStatement[] {
  const at = `${host}:${port}`
  const functions = new Map(connectingFunctions(host, port).map(({ name, sql }) => [name, sql]))
  const argumentsOf = (name: string) => /\((.*)\)$/.exec(functions.get(name) ?? '')?.[1] ?? ''
  const withoutStructure = (name: string) => argumentsOf(name).replace(/, 'a Int32[^']*'$/, '')
  const engines: Record<string, string> = {
    URL: `URL('http://${at}/x', 'CSV')`,
    S3: `S3(${withoutStructure('s3')})`,
    GCS: `GCS(${withoutStructure('gcs')})`,
    OSS: `OSS(${withoutStructure('oss')})`,
    COSN: `COSN(${withoutStructure('cosn')})`,
    AzureBlobStorage: `AzureBlobStorage(${withoutStructure('azureBlobStorage').replace(/, 'auto'$/, '')})`,
    HDFS: `HDFS('hdfs://${at}/x', 'CSV')`,
    Hudi: `Hudi(${argumentsOf('hudi')})`,
    DeltaLake: `DeltaLake(${argumentsOf('deltaLake')})`,
    DeltaLakeS3: `DeltaLakeS3(${argumentsOf('deltaLakeS3')})`,
    DeltaLakeAzure: `DeltaLakeAzure(${argumentsOf('deltaLakeAzure')})`,
    Iceberg: `Iceberg(${argumentsOf('iceberg')})`,
    IcebergS3: `IcebergS3(${argumentsOf('icebergS3')})`,
    IcebergAzure: `IcebergAzure(${argumentsOf('icebergAzure')})`,
    IcebergHDFS: `IcebergHDFS('hdfs://${at}/x')`,
    Paimon: `Paimon(${argumentsOf('paimon')})`,
    PaimonS3: `PaimonS3(${argumentsOf('paimonS3')})`,
    PaimonAzure: `PaimonAzure(${argumentsOf('paimonAzure')})`,
    PaimonHDFS: `PaimonHDFS('hdfs://${at}/x')`,
    MySQL: `MySQL('${at}', 'd', 't', 'u', 'p')`,
    PostgreSQL: `PostgreSQL('${at}', 'd', 't', 'u', 'p')`,
    MaterializedPostgreSQL: `MaterializedPostgreSQL('${at}', 'd', 't', 'u', 'p') PRIMARY KEY a`,
    MongoDB: `MongoDB('${at}', 'd', 't', 'u', 'p')`,
    Redis: `Redis('${at}') PRIMARY KEY a`,
    ODBC: `ODBC('DSN=x', 'd', 't')`,
    JDBC: `JDBC('jdbc:mysql://${at}/?user=u', 'd', 't')`,
    YTsaurus: `YTsaurus('http://${at}', '//tmp/t', 'token')`,
    Remote: `Remote('${at}', 'system', 'one')`,
    RemoteSecure: `RemoteSecure('${at}', 'system', 'one')`,
  }
  const databases: Record<string, string> = {
    'database MySQL': `MySQL('${at}', 'd', 'u', 'p')`,
    'database PostgreSQL': `PostgreSQL('${at}', 'd', 'u', 'p')`,
    'database MaterializedPostgreSQL': `MaterializedPostgreSQL('${at}', 'd', 'u', 'p')`,
    'database S3': `S3('http://${at}/bucket', 'k', 's')`,
    'database HDFS': `HDFS('hdfs://${at}')`,
    'database DataLakeCatalog': `DataLakeCatalog('http://${at}/v1', 'k', 's') SETTINGS catalog_type = 'rest', warehouse = 'w', storage_endpoint = 'http://${at}/w'`,
  }
  const settings = [
    'allow_experimental_ytsaurus_table_engine',
    'allow_experimental_database_materialized_postgresql',
    'allow_experimental_materialized_postgresql_table',
    'allow_database_iceberg',
    'allow_experimental_paimon_storage_engine',
  ]
    .map((name) => `${name}=1`)
    .join('&')
  return [
    ...Object.entries(engines).map(([name, engine]) => ({
      name,
      settings,
      setup: [`CREATE TABLE default.via_${name} (a Int32, b String) ENGINE = ${engine}`],
      sql: `SELECT a FROM default.via_${name}`,
    })),
    ...Object.entries(databases).map(([name, engine]) => {
      const database = name.replace(' ', '_')
      return {
        name,
        settings,
        setup: [`CREATE DATABASE ${database} ENGINE = ${engine}`],
        sql: `SELECT * FROM ${database}.\`x.csv\``,
        isSilent: ['database MaterializedPostgreSQL', 'database S3', 'database HDFS'].includes(name),
      }
    }),
  ]
}

export function connectingDictionaries(host: string, port: number): ConnectingStatement[] {
  const address = `HOST '${host}' PORT ${port} USER 'u' PASSWORD 'p' DB 'd'`
  const sources: Record<string, string> = {
    http: `HTTP(URL 'http://${host}:${port}/x' FORMAT 'CSV')`,
    clickhouse: `CLICKHOUSE(${address} TABLE 't')`,
    mysql: `MYSQL(${address} TABLE 't')`,
    postgresql: `POSTGRESQL(${address} TABLE 't')`,
    mongodb: `MONGODB(${address} COLLECTION 't')`,
    redis: `REDIS(HOST '${host}' PORT ${port} STORAGE_TYPE 'simple')`,
    odbc: `ODBC(CONNECTION_STRING 'DSN=x' DB 'd' TABLE 't')`,
  }
  return Object.entries(sources).map(([name, source]) => ({
    name: `dictionary ${name}`,
    setup: [
      `CREATE DICTIONARY default.from_${name} (a UInt64, b String) PRIMARY KEY a SOURCE(${source}) LIFETIME(0) LAYOUT(FLAT())`,
    ],
    sql: `SELECT dictGet('default.from_${name}', 'b', toUInt64(1))`,
  }))
}

/** Functions, formats and statements that connect, other than those above. */
export function otherConnections(host: string, port: number): ConnectingStatement[] {
  const at = `${host}:${port}`
  return [
    {
      name: 'INSERT INTO FUNCTION url',
      sql: `INSERT INTO FUNCTION url('http://${at}/x', 'CSV', 'a Int32') VALUES (1)`,
    },
    {
      name: 'AvroConfluent',
      sql: `SELECT * FROM format(AvroConfluent, unhex('00000000010000')) SETTINGS format_avro_schema_registry_url = 'http://${at}'`,
    },
    { name: 'BACKUP TO S3', sql: `BACKUP TABLE system.one TO S3('http://${at}/bucket/x', 'k', 's')` },
  ]
}

/**
 * Names that do not connect by themselves, that need a cluster, Keeper or a broker which only the server's
 * configuration names, or that are refused for what they do on this machine.
 */
export const notConnecting = new Set(
  `hudiCluster deltaLakeCluster paimonHDFSCluster paimonAzureCluster paimonS3Cluster icebergAzureCluster
  icebergS3Cluster icebergCluster icebergLocalCluster deltaLakeAzureCluster hdfsCluster azureBlobStorageCluster
  icebergHDFSCluster s3Cluster paimonHDFSCluster paimonCluster paimonAzureCluster deltaLakeS3Cluster urlCluster
  fileCluster clusterAllReplicas cluster icebergLocal paimonLocal deltaLakeLocal prometheusQueryRange prometheusQuery
  timeSeriesSelector timeSeriesMetrics timeSeriesTags timeSeriesSamples timeSeriesData mergeTreeProjection format loop
  viewIfPermitted view mergeTreeTextIndex mergeTreeAnalyzeIndexesUUID numbers_mt filesystem mergeTreeIndex
  generateRandom dictionary fuzzQuery SQLStandardValues merge zeros_mt executable fuzzJSON eval values file zeros
  arrowstream mergeTreeAnalyzeIndexes input viewExplain null generateSeries generate_series sqlite primes numbers
  ArrowStream KeeperMap S3Queue AzureQueue Kafka Distributed PaimonLocal View FuzzQuery Alias Loop IcebergLocal
  ReplicatedSummingMergeTree ExecutablePool MaterializedView Join Executable Set Dictionary QueryRunner Buffer Memory
  Merge File Log ReplicatedCoalescingMergeTree ReplicatedVersionedCollapsingMergeTree SQLite
  VersionedCollapsingMergeTree ReplacingMergeTree TimeSeries EmbeddedRocksDB DeltaLakeLocal
  ReplicatedCollapsingMergeTree ReplicatedGraphiteMergeTree ReplicatedMergeTree SummingMergeTree TinyLog FuzzJSON
  ReplicatedReplacingMergeTree WindowView Null CoalescingMergeTree GenerateRandom MergeTree GraphiteMergeTree
  CollapsingMergeTree FileLog ReplicatedAggregatingMergeTree AggregatingMergeTree StripeLog`
    .split(/\s+/)
    .concat(
      [
        'Backup',
        'SQLite',
        'Dictionary',
        'Memory',
        'Replicated',
        'Atomic',
        'Filesystem',
        'Ordinary',
        'Overlay',
      ].map((name) => `database ${name}`),
    ),
)

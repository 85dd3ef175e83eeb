/**
 * What SQL may name and what it may not. A test walks the engine's own lists and finds every entry either here or in
 * `reviewed/`. All names are compared in lower case.
 */
const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** `file` reads any file; `catboostEvaluate` runs a program that reads a model from a file. */
export const refusedFunctions = words('file catboostevaluate')

/** They reach files, programs (bridges are programs too), SQL in strings, or memory addresses of this machine. */
export const refusedTableFunctions = words(`
  arrowstream deltalakelocal eval executable file filecluster filesystem iceberglocal iceberglocalcluster jdbc odbc
  paimonlocal sqlite`)

/** Engines of tables and databases. An engine that is not listed is refused, so a new engine needs a review first. */
export const engines = words(`
  aggregatingmergetree alias azureblobstorage azurequeue buffer coalescingmergetree collapsingmergetree cosn deltalake
  deltalakeazure deltalakes3 dictionary distributed embeddedrocksdb fuzzjson fuzzquery gcs generaterandom
  graphitemergetree hdfs hudi iceberg icebergazure iceberghdfs icebergs3 join kafka keepermap log loop
  materializedpostgresql materializedview memory merge mergetree mongodb mysql null oss paimon paimonazure paimonhdfs
  paimons3 postgresql redis remote remotesecure replacingmergetree replicatedaggregatingmergetree
  replicatedcoalescingmergetree replicatedcollapsingmergetree replicatedgraphitemergetree replicatedmergetree
  replicatedreplacingmergetree replicatedsummingmergetree replicatedversionedcollapsingmergetree s3 s3queue set
  stripelog summingmergetree timeseries tinylog url versionedcollapsingmergetree view windowview ytsaurus
  atomic datalakecatalog ordinary replicated`)

/** They reach files, programs, SQL in strings or memory addresses; a Backup database reads a running job's backups. */
export const refusedEngines = words(`
  arrowstream backup deltalakelocal executable executablepool file filelog filesystem iceberglocal jdbc odbc
  paimonlocal queryrunner sqlite`)

/** Sources of dictionaries; all others are refused. */
export const sources = words('cassandra clickhouse http mongodb mysql null postgresql redis ytsaurus')
export const refusedSources = words('executable executable_pool file jdbc library odbc yamlregexptree')

/** Layouts of dictionaries; all others are refused: an SSD cache writes to any path that the client names. */
export const layouts = words(`
  cache complex_key_cache complex_key_direct complex_key_hashed complex_key_hashed_array complex_key_range_hashed
  complex_key_sparse_hashed direct flat hashed hashed_array ip_trie naive_bayes polygon polygon_index_cell
  polygon_index_each polygon_simple range_hashed regexp_tree sparse_hashed`)
export const refusedLayouts = words('complex_key_ssd_cache ssd_cache')

/** Backup destinations that clients may use. */
export const backupPlaces = words('azureblobstorage memory null s3')

/** Functions whose first argument is a string that the engine parses as SQL. */
export const evaluatingFunctions = words(`
  arrayreduce arrayreduceinranges initializeaggregation structuretocapnprotoschema structuretoprotobufschema`)

/** Table functions whose first argument is a column list, which may contain expressions. */
export const structureFirst = words('generaterandom input null')

/** Table functions and engines with a column list, or a format name, somewhere after their first argument. */
export const structureLater = words(`
  azureblobstorage azureblobstoragecluster cosn deltalake deltalakeazure deltalakeazurecluster deltalakecluster
  deltalakes3 deltalakes3cluster fuzzjson gcs hdfs hdfscluster hudi hudicluster iceberg icebergazure
  icebergazurecluster icebergcluster iceberghdfs iceberghdfscluster icebergs3 icebergs3cluster
  mergetreeanalyzeindexes mergetreeanalyzeindexesuuid mongodb oss paimon paimonazure paimonazurecluster paimoncluster
  paimonhdfs paimonhdfscluster paimons3 paimons3cluster redis s3 s3cluster s3queue azurequeue url urlcluster ytsaurus`)

/** Functions that take a function, possibly by its bare name, and then arrays or maps. */
export const higherOrder = words(`
  arrayall arrayavg arraycompact arraycount arraycumsum arraycumsumnonnegative arraydifference arrayexists arrayfill
  arrayfilter arrayfirst arrayfirstindex arrayfirstornull arrayfold arraylast arraylastindex arraylastornull arraymap
  arraymax arraymin arraypartialreversesort arraypartialsort arrayproduct arrayreversefill arrayreversesort
  arrayreversesplit arraysort arraysplit arraysum mapall mapapply mapexists mapfilter mappartialreversesort
  mappartialsort mapreversesort mapsort`)

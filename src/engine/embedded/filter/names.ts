/**
 * What SQL may name and what it may not. A test walks the engine's own lists and finds every entry either here or in
 * `reviewed/`. All names are compared in small letters.
 */
const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Reads any file; runs a program; reads a model from a file. */
export const refusedFunctions = words('file catboostevaluate')

/** Files and directories of this machine, programs (bridges are programs, too), SQL in strings, addresses in memory. */
export const refusedTableFunctions = words(`
  arrowstream deltalakelocal eval executable file filecluster filesystem iceberglocal iceberglocalcluster jdbc odbc
  paimonlocal sqlite`)

/** Of tables and databases. An engine that is not listed is refused, so a new one is until somebody lists it. */
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

/** Files, programs, SQL in strings, addresses in memory; a Backup database reads the backups of a running job. */
export const refusedEngines = words(`
  arrowstream backup deltalakelocal executable executablepool file filelog filesystem iceberglocal jdbc odbc
  paimonlocal queryrunner sqlite`)

/** Of dictionaries; all others are refused. */
export const sources = words('cassandra clickhouse http mongodb mysql null postgresql redis ytsaurus')
export const refusedSources = words('executable executable_pool file jdbc library odbc yamlregexptree')

/** Of dictionaries; all others are refused: those of an SSD cache write where they are told. */
export const layouts = words(`
  cache complex_key_cache complex_key_direct complex_key_hashed complex_key_hashed_array complex_key_range_hashed
  complex_key_sparse_hashed direct flat hashed hashed_array ip_trie naive_bayes polygon polygon_index_cell
  polygon_index_each polygon_simple range_hashed regexp_tree sparse_hashed`)
export const refusedLayouts = words('complex_key_ssd_cache ssd_cache')

/** Where clients may put backups. */
export const backupPlaces = words('azureblobstorage memory null s3')

/** Functions whose first argument, a text, is taken apart as SQL. */
export const evaluatingFunctions = words(`
  arrayreduce arrayreduceinranges initializeaggregation structuretocapnprotoschema structuretoprotobufschema`)

/** Table functions whose first argument is a list of columns, which may have expressions. */
export const structureFirst = words('generaterandom input null')

/** Table functions and engines that have a list of columns, or the name of a format, somewhere behind their first argument. */
export const structureLater = words(`
  azureblobstorage azureblobstoragecluster cosn deltalake deltalakeazure deltalakeazurecluster deltalakecluster
  deltalakes3 deltalakes3cluster fuzzjson gcs hdfs hdfscluster hudi hudicluster iceberg icebergazure
  icebergazurecluster icebergcluster iceberghdfs iceberghdfscluster icebergs3 icebergs3cluster
  mergetreeanalyzeindexes mergetreeanalyzeindexesuuid mongodb oss paimon paimonazure paimonazurecluster paimoncluster
  paimonhdfs paimonhdfscluster paimons3 paimons3cluster redis s3 s3cluster s3queue azurequeue url urlcluster ytsaurus`)

/** They take a function, also by its bare name, and then arrays or maps. */
export const higherOrder = words(`
  arrayall arrayavg arraycompact arraycount arraycumsum arraycumsumnonnegative arraydifference arrayexists arrayfill
  arrayfilter arrayfirst arrayfirstindex arrayfirstornull arrayfold arraylast arraylastindex arraylastornull arraymap
  arraymax arraymin arraypartialreversesort arraypartialsort arrayproduct arrayreversefill arrayreversesort
  arrayreversesplit arraysort arraysplit arraysum mapall mapapply mapexists mapfilter mappartialreversesort
  mappartialsort mapreversesort mapsort`)

/**
 * What the engine grants to every statement, the product's own included. This is a list of grants, not of revocations,
 * so a right that a new engine version adds is not granted by default. Grants also hold inside views, dictionaries and
 * functions, as long as no client can create a view with SQL SECURITY NONE.
 */
const granted = [
  ...[
    'ACCESS MANAGEMENT',
    'ALTER',
    'BACKUP',
    'CHECK',
    'CLUSTER',
    'CREATE',
    'dictGet',
    'DROP',
    'INSERT',
    'KILL QUERY',
  ],
  ...[
    'KILL TRANSACTION',
    'MOVE PARTITION BETWEEN SHARDS',
    'NAMED COLLECTION ADMIN',
    'OPTIMIZE',
    'SELECT',
    'SHOW',
  ],
  ...['SHOW FILESYSTEM CACHES', 'SYSTEM', 'TRUNCATE', 'UNDROP TABLE'],
  // Other systems whose tables SQL may read and write.
  ...[
    'ARROW FLIGHT',
    'AZURE',
    'HDFS',
    'HIVE',
    'KAFKA',
    'MONGO',
    'MYSQL',
    'NATS',
    'POSTGRES',
    'RABBITMQ',
    'REDIS',
  ],
  ...['REMOTE', 'S3', 'URL', 'YTSAURUS'],
]

/** Rights that are part of the granted groups above and are revoked again. */
export const withheld = [
  // Views that run without any rights check, and acting as another user.
  ...['ALLOW SQL SECURITY NONE', 'IMPERSONATE'],
  // Passwords and keys in named collections.
  'SHOW NAMED COLLECTIONS SECRETS',
  // The process itself, its configuration, its memory and its code.
  ...[
    'SYSTEM FAILPOINT',
    'SYSTEM INSTRUMENT ADD',
    'SYSTEM INSTRUMENT REMOVE',
    'SYSTEM JEMALLOC',
    'SYSTEM LISTEN',
  ],
  ...[
    'SYSTEM MEMORY',
    'SYSTEM RELOAD CONFIG',
    'SYSTEM RELOAD MODEL',
    'SYSTEM RELOAD USERS',
    'SYSTEM RESET DDL WORKER',
  ],
  ...['SYSTEM RESTART DISK', 'SYSTEM SHUTDOWN', 'SYSTEM THREAD FUZZER'],
  // UNFREEZE removes directories below the data by a client's name; SYNC FILE CACHE syncs every file of the machine.
  ...['SYSTEM UNFREEZE', 'SYSTEM SYNC FILE CACHE'],
]

/** Rights, with their parts, that belong to none of the groups above. */
export const neverGranted = [
  ...['FILE', 'SQLITE', 'ODBC', 'JDBC', 'SOURCES', 'READ', 'WRITE'],
  ...['SET DEFINER', 'displaySecretsInShowAndSelect', 'INTROSPECTION', 'TABLE ENGINE'],
  ...['addressToLine', 'addressToLineWithInlines', 'addressToSymbol', 'demangle', 'ALL', 'NONE'],
]

/** Table engines that need a TABLE ENGINE grant and do not get it. */
const withheldEngines = [
  ...[
    'ArrowStream',
    'DeltaLakeLocal',
    'Executable',
    'ExecutablePool',
    'File',
    'FileLog',
    'IcebergLocal',
    'JDBC',
  ],
  ...['ODBC', 'PaimonLocal', 'QueryRunner', 'SQLite'],
]

/** The engine creates the tables of these databases itself; without them no connection can be opened. */
const systemDatabases = ['system', 'information_schema', 'INFORMATION_SCHEMA']
const changes = [
  'ALTER',
  'CREATE DATABASE',
  'CREATE TABLE',
  'CREATE VIEW',
  'CREATE DICTIONARY',
  'DROP DATABASE',
]
const changesOfTables = [
  'DROP TABLE',
  'DROP VIEW',
  'DROP DICTIONARY',
  'INSERT',
  'OPTIMIZE',
  'TRUNCATE',
  'UNDROP TABLE',
]

export const grants: readonly string[] = [
  ...granted.map((right) => `GRANT ${right} ON *.*`),
  'GRANT TABLE ENGINE ON *',
  ...withheld.map((right) => `REVOKE ${right} ON *.*`),
  ...withheldEngines.map((engine) => `REVOKE TABLE ENGINE ON ${engine}`),
  ...systemDatabases.map((name) => `REVOKE ${[...changes, ...changesOfTables].join(', ')} ON ${name}.*`),
  // The replica creates its query log before a client could create a table of that name.
  'GRANT CREATE TABLE, INSERT ON system.query_log',
  // `default` is the current database of a new connection.
  'REVOKE DROP DATABASE ON default.*',
]

/** For tests that switch the filter off. */
export const allGrants: readonly string[] = ['GRANT ALL ON *.*']

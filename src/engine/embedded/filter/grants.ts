/**
 * What the engine grants to every statement, the product's own ones included: a list of what is granted, not of what is
 * taken away, so that a right which a new version brings is not given by itself. Rights hold inside views,
 * dictionaries and functions as well, as long as nobody may make a view whose rights are not looked at.
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
  // Where tables may be elsewhere.
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

/** Of the groups above. */
export const withheld = [
  // A view that nobody's rights are looked at for, and acting as another user.
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
  // Directories below the data, by a name that a client gives; all files of the machine.
  ...['SYSTEM UNFREEZE', 'SYSTEM SYNC FILE CACHE'],
]

/** Rights that are in none of the groups above, and their parts. */
export const neverGranted = [
  ...['FILE', 'SQLITE', 'ODBC', 'JDBC', 'SOURCES', 'READ', 'WRITE'],
  ...['SET DEFINER', 'displaySecretsInShowAndSelect', 'INTROSPECTION', 'TABLE ENGINE'],
  ...['addressToLine', 'addressToLineWithInlines', 'addressToSymbol', 'demangle', 'ALL', 'NONE'],
]

/** Engines whose tables the engine asks a right for. */
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

/** The tables that the engine makes itself; without them no connection can be opened. */
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
  // Our log of statements, which is there before a client could make a table of that name.
  'GRANT CREATE TABLE, INSERT ON system.query_log',
  // A new connection begins in it.
  'REVOKE DROP DATABASE ON default.*',
]

/** For tests without the filter. */
export const allGrants: readonly string[] = ['GRANT ALL ON *.*']

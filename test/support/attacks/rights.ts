import type { Step } from './attack.ts'

/** Statements that would break a warehouse for everybody or grant a right; they must be refused in every form. */
export const refusedToAll: readonly string[] = [
  ...['DROP DATABASE system', 'DETACH DATABASE system', 'DETACH TABLE system.one', 'DROP TABLE system.one'],
  ...['RENAME TABLE system.one TO default.one', 'CREATE TABLE system.x (a Int8) ENGINE = Memory'],
  ...[
    'TRUNCATE ALL TABLES FROM system',
    'DROP DATABASE information_schema',
    'DROP DATABASE INFORMATION_SCHEMA',
  ],
  ...['DROP DATABASE default', 'DETACH DATABASE default', 'RENAME DATABASE default TO other'],
  ...[
    'SYSTEM SHUTDOWN',
    'SYSTEM RELOAD CONFIG',
    'GRANT FILE ON *.* TO default',
    'EXECUTE AS default SELECT 1',
  ],
  ...['CREATE VIEW v SQL SECURITY NONE AS SELECT 1', 'SET readonly = DEFAULT', "SET dialect = 'prql'"],
  ...["SET default_normal_view_sql_security = 'NONE'", 'SELECT 1 SETTINGS send_logs_level = 1'],
  ...[
    '\\ INSERT INTO t VALUES (1)',
    "'abc INSERT INTO t",
    '!SELECT 1',
    'exit',
    'quit',
    '?? drop all',
    'SELECT 1 \\G',
  ],
  ...['CREATE TABLE qr (query String) ENGINE == QueryRunner', 'CREATE DATABASE fs ENGINE == Filesystem'],
  ...['SELECT x -- { serverError 47 }', 'SELECT 1; SELECT 2'],
  // Bridges start programs.
  ...["SELECT * FROM odbc('DSN=x', 'a', 'b')", "SELECT * FROM jdbc('x', 'a', 'b')"],
]

/** Statements that are also refused to a user who may only read. */
export const refusedToReaders: readonly Step[] = [
  ...[
    'BACKUP DATABASE default TO Null',
    "INSERT INTO FUNCTION null('a Int8') SELECT 1",
    'SYSTEM STOP MERGES',
  ],
  ...["INSERT INTO FUNCTION url('http://127.0.0.1:1/', CSV, 'a Int8') VALUES (1)", 'KILL MUTATION WHERE 1'],
  ...['CREATE TEMPORARY TABLE x (a Int8)', 'CREATE FUNCTION f AS x -> x', 'OPTIMIZE TABLE system.one'],
  ...[
    'SET readonly = 0',
    'CREATE NAMED COLLECTION c AS a = 1',
    'WITH 1 IS DISTINCT FROM 2 AS z INSERT INTO t SELECT z',
  ],
]

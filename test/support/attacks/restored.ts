import { q } from './attack.ts'
import type { Canaries } from './canaries.ts'

/** A backup whose files were edited, and the queries to the warehouse that was restored from it. */
export interface EditedBackup {
  /** The edited object; its database is `d`. */
  object: string
  files: Record<string, string>
  questions: string[]
}

const uuid = "UUID '11111111-2222-4333-8444-555555555555'"

/** Definitions that no client could create, in backups at a place where others can write. */
export function editedBackups({ root, secret, json, store, target }: Canaries): EditedBackup[] {
  const database = { 'metadata/d.sql': `CREATE DATABASE d ENGINE = Atomic` }
  const table = (name: string, definition: string, ...questions: string[]): EditedBackup => ({
    object: `d.${name}`,
    files: {
      ...database,
      [`metadata/d/${name}.sql`]: `CREATE ${definition.replace(`d.${name}`, `d.${name} ${uuid}`)}`,
    },
    questions: [`SELECT * FROM d.${name}`, ...questions],
  })
  const plain = 'ENGINE = MergeTree ORDER BY tuple() SETTINGS index_granularity = 8192'
  return [
    table(
      'file',
      `TABLE d.file (\`a\` String) ENGINE = File('TSV', ${q(secret)})`,
      `INSERT INTO d.file VALUES ('x')`,
    ),
    table(
      'into',
      `TABLE d.into (\`a\` String) ENGINE = File('TSV', ${q(target)})`,
      `INSERT INTO d.into VALUES ('x')`,
    ),
    table('url', `TABLE d.url (\`a\` String) ENGINE = URL(${q(`file://${json}`)}, 'JSONEachRow')`),
    table(
      'rocks',
      `TABLE d.rocks (\`a\` String) ENGINE = EmbeddedRocksDB(0, ${q(target)}) PRIMARY KEY a`,
      `INSERT INTO d.rocks VALUES ('x')`,
    ),
    table('lite', `TABLE d.lite (\`a\` String) ENGINE = SQLite(${q(store)}, 't')`),
    table('program', `TABLE d.program (\`a\` String) ENGINE = Executable(${q(`touch ${target}`)}, 'TSV')`),
    table(
      'disk',
      `TABLE d.disk (\`a\` String) ENGINE = MergeTree ORDER BY tuple() SETTINGS disk = disk(type = 'local', path = ${q(`${target}/`)})`,
      `INSERT INTO d.disk VALUES ('x')`,
    ),
    table(
      'filled',
      `TABLE d.filled (\`a\` String) ENGINE = Memory AS SELECT * FROM file(${q(secret)}, 'TSV', 'a String')`,
    ),
    table(
      'given',
      `TABLE d.given (\`b\` UInt8, \`a\` String DEFAULT file(${q(secret)})) ${plain}`,
      'INSERT INTO d.given (b) VALUES (1)',
      'SELECT * FROM d.given',
    ),
    table(
      'held',
      `TABLE d.held (\`b\` UInt8, \`a\` String MATERIALIZED file(${q(secret)}), CONSTRAINT c CHECK file(${q(secret)}) != '') ${plain}`,
      'INSERT INTO d.held (b) VALUES (1)',
      'SELECT a FROM d.held',
    ),
    table(
      'view',
      `VIEW d.view (\`a\` String) DEFINER = default SQL SECURITY DEFINER AS SELECT * FROM file(${q(secret)}, 'TSV', 'a String')`,
    ),
    table('none', `VIEW d.none (\`a\` String) SQL SECURITY NONE AS SELECT file(${q(secret)}) AS a`),
    table(
      'adds',
      `MATERIALIZED VIEW d.adds (\`a\` String) ENGINE = Memory AS SELECT file(${q(secret)}) AS a FROM system.one`,
    ),
    table(
      'again',
      `MATERIALIZED VIEW d.again REFRESH EVERY 1 SECOND (\`a\` String) ENGINE = Memory AS SELECT file(${q(secret)}) AS a`,
      'SYSTEM REFRESH VIEW d.again',
      'SYSTEM WAIT VIEW d.again',
      'SELECT * FROM d.again',
    ),
    table(
      'words',
      `DICTIONARY d.words (\`k\` UInt64, \`a\` String) PRIMARY KEY k SOURCE(FILE(PATH ${q(secret)} FORMAT 'TSV')) LAYOUT(FLAT()) LIFETIME(0)`,
    ),
    table(
      'runs',
      `DICTIONARY d.runs (\`k\` UInt64, \`a\` String) PRIMARY KEY k SOURCE(EXECUTABLE(COMMAND ${q(`touch ${target}`)} FORMAT 'TSV')) LAYOUT(FLAT()) LIFETIME(1)`,
    ),
    table(
      'library',
      `DICTIONARY d.library (\`k\` UInt64, \`a\` String) PRIMARY KEY k SOURCE(LIBRARY(PATH ${q(secret)})) LAYOUT(FLAT()) LIFETIME(0)`,
    ),
    {
      object: 'd',
      files: { 'metadata/d.sql': `CREATE DATABASE d ENGINE = SQLite(${q(store)})` },
      questions: ['SELECT * FROM d.t'],
    },
    {
      object: 'd',
      files: { 'metadata/d.sql': `CREATE DATABASE d ENGINE = Filesystem(${q(root)})` },
      questions: ['SELECT * FROM d.`credentials.json`'],
    },
    {
      object: 'default.t',
      files: {
        'metadata/default/t.sql': `CREATE TABLE default.t ${uuid} (\`a\` String) ENGINE = File('TSV', ${q(secret)})`,
      },
      questions: ['SELECT * FROM default.t'],
    },
    {
      object: 'tt',
      files: {
        'temporary_tables/metadata/tt.sql': `CREATE TEMPORARY TABLE tt (\`a\` String) ENGINE = File('TSV', ${q(secret)})`,
      },
      questions: ['SELECT * FROM tt'],
    },
    {
      object: 'user',
      files: {
        'data/system/users/access01.txt': `ATTACH USER intruder IDENTIFIED WITH no_password; ATTACH GRANT ALL ON *.* TO intruder WITH GRANT OPTION;`,
        'metadata/system/users.sql': 'CREATE TABLE system.users (`name` String) ENGINE = SystemUsers()',
        'metadata/system.sql': 'CREATE DATABASE system ENGINE = Atomic',
      },
      questions: ['SELECT name FROM system.users', 'EXECUTE AS intruder SELECT 1'],
    },
    {
      object: 'out',
      files: {
        ...database,
        'metadata/d/out.sql': `CREATE TABLE d.out ${uuid} (\`a\` UInt8) ${plain}`,
        [`data/d/out/all_1_1_0/../../../../../../../../../../../..${target}`]: 'x',
        [`data/d/out/all_1_1_0/columns.txt`]: 'x',
      },
      questions: ['SELECT * FROM d.out'],
    },
    {
      object: 'way',
      files: {
        ...database,
        'metadata/d/way.sql': `CREATE TABLE d.way ${uuid} (\`a\` String) ENGINE = Log`,
        [`data/d/way/../../../../../../../../../../..${target}`]: 'x',
        'data/d/way/a.bin': 'x',
      },
      questions: ['SELECT * FROM d.way'],
    },
  ]
}

/** The same tables and data on both sides of a comparison: every value follows from its row's number. */
export const database = 'CREATE DATABASE IF NOT EXISTS bench'

const columns = "(id UInt64, at DateTime('UTC'), name String, value Float64)"

/** The settings that services have, so that the baseline process promises the same durability. */
const durable = 'fsync_after_insert = 1, fsync_part_directory = 1'

export const createTable = (table: string): string =>
  `CREATE TABLE ${table} ${columns} ENGINE = MergeTree ORDER BY id SETTINGS ${durable}`

export const fillTable = (table: string, rows: number): string =>
  `INSERT INTO ${table} SELECT number, toDateTime(1767225600 + number % 31536000, 'UTC'),
   concat('name-', toString(number % 10000)), number / 7 FROM numbers(${rows})`

/** Merges the table into one part, so that no merge runs during a measurement. */
export const mergeTable = (table: string): string => `OPTIMIZE TABLE ${table} FINAL`

/** All statements that create, fill and merge a table. */
export const tableStatements = (table: string, rows: number): string[] => [
  ...[database, createTable(table), fillTable(table, rows), mergeTable(table)],
]

export const pointsTable = 'bench.points'

export const statements = {
  'SELECT 1': () => 'SELECT 1',
  // A prime step: consecutive reads are far apart in the table.
  'point read': (n: number, rows: number) =>
    `SELECT id, name, value FROM ${pointsTable} WHERE id = ${(n * 15_485_863) % rows}`,
} satisfies Record<string, (n: number, rows: number) => string>

export type StatementName = keyof typeof statements

import { createHash } from 'node:crypto'
import type { TableMapping } from '../../../domain/pipe/types.ts'
import { quoteIdentifier, quoteString } from '../../../lib/clickhouse/identifiers.ts'
import { type ChangeStep, deletedColumn, rowIdColumn, sideTable, versionColumn } from '../../changes.ts'
import type { SpooledRows } from '../../destination.ts'
import { nameOf } from '../errors-table.ts'
import { oneBlock, queryIdOf } from '../insert-records.ts'
import type { Questions } from '../questions.ts'
import { columnType, columnValue, lineSettings, listOf, structureOf } from './expressions.ts'

type Step<Kind> = Extract<ChangeStep<SpooledRows>, { do: Kind }>

export interface RowParts {
  questions: Questions
  database: string
  mapping: TableMapping
  insertSettings: Readonly<Record<string, string>>
  /** Names this step for ever. */
  token: string
}

const trailer = { v: 'UInt64', d: 'UInt8' }

/** Rows of a load have the version 0, which every change is above. */
export async function insertRows(
  { questions, database, insertSettings, token }: RowParts,
  { target, isSide, isLoad, columns, key, data }: Step<'insert'>,
  signal: AbortSignal,
): Promise<void> {
  const id = key.length === 0 ? { i: 'String' } : {}
  const structure = structureOf(columns, { ...(isLoad ? {} : trailer), ...id })
  const values = [
    ...columns.map((column, index) => columnValue(column, `f${index}`)),
    ...(isLoad ? ['0', '0'] : ['v', 'd']),
    ...Object.keys(id),
  ]
  const names = namesOf({ columns, key })
  await questions.run(
    `INSERT INTO ${nameOf(database, isSide ? sideTable(target) : target)} (${listOf(names)})
      SELECT ${values.join(', ')} FROM input(${quoteString(structure)}) FORMAT TSV`,
    {
      body: data.open(),
      settings: {
        ...lineSettings,
        ...oneBlock({ insertSettings }, token),
        // Rows of a load have different keys: the block need not be merged in itself.
        ...(isLoad ? { optimize_on_insert: '0' } : {}),
      },
      queryId: queryIdOf(token),
      signal,
    },
  )
}

/** Lines have, after version and flag, which fields are missing and the key under which the current row is found. */
export async function fillRows(
  parts: RowParts,
  { target, columns, key, data }: Step<'fill'>,
  signal: AbortSignal,
): Promise<void> {
  const { questions, database, insertSettings, token, mapping } = parts
  const keyed = key.map((name) => {
    const column = columns.find((each) => each.name === name)
    if (column === undefined) throw new Error(`the key ${name} is no column`)
    return column
  })
  await staged(parts, target, signal, async (staging) => {
    const fields = structureOf(columns, {
      ...{ ...trailer, u: 'Array(UInt16)' },
      ...Object.fromEntries(keyed.map((_, index) => [`k${index}`, 'String'])),
    })
    const typed = [
      ...columns.map((column, index) => `n${index} ${columnType(column)}`),
      ...['v UInt64', 'd UInt8', 'u Array(UInt16)'],
      ...keyed.map((column, index) => `k${index} ${columnType(column)}`),
    ]
    const values = [
      ...columns.map((column, index) => columnValue(column, `f${index}`)),
      ...['v', 'd', 'u'],
      ...keyed.map((column, index) =>
        column.form === 'plain'
          ? `CAST(k${index}, ${quoteString(columnType(column))})`
          : columnValue(column, `k${index}`),
      ),
    ]
    await questions.run(`CREATE TABLE ${staging} (${typed.join(', ')}) ENGINE = MergeTree ORDER BY tuple()`, {
      signal,
    })
    await questions.run(
      `INSERT INTO ${staging} SELECT ${values.join(', ')} FROM input(${quoteString(fields)}) FORMAT TSV`,
      { body: data.open(), settings: { ...lineSettings, async_insert: '0' }, signal },
    )
    const lookup = keyed.map((_, index) => `k${index}`).join(', ')
    const live = nameOf(database, target)
    const current =
      mapping.tableEngine === 'ReplacingMergeTree'
        ? `SELECT * FROM ${live} FINAL WHERE (${listOf(key)}) IN (SELECT ${lookup} FROM ${staging})`
        : `SELECT * FROM ${live} WHERE (${listOf(key)}) IN (SELECT ${lookup} FROM ${staging})
            ORDER BY ${versionColumn} DESC LIMIT 1 BY ${listOf(key)}`
    const filled = columns.map(
      ({ name }, index) => `if(has(s.u, ${index}), c.${quoteIdentifier(name)}, s.n${index})`,
    )
    const joined = key.map((name, index) => `s.k${index} = c.${quoteIdentifier(name)}`)
    await questions.run(
      `INSERT INTO ${live} (${listOf(namesOf({ columns, key }))})
        SELECT ${[...filled, 's.v', 's.d'].join(', ')} FROM ${staging} AS s
        LEFT JOIN (${current}) AS c ON ${joined.join(' AND ')}`,
      { settings: oneBlock({ insertSettings }, token), queryId: queryIdOf(token), signal },
    )
  })
}

/** Equal rows are alike: as many of them as were removed get a tombstone. */
export async function removeRows(
  parts: RowParts,
  { target, columns, data }: Step<'remove'>,
  signal: AbortSignal,
): Promise<void> {
  const { questions, database, insertSettings, token, mapping } = parts
  if (mapping.tableEngine === 'Null') return
  await staged(parts, target, signal, async (staging) => {
    const names = columns.map(({ name }) => name)
    const typed = columns.map((column) => `${quoteIdentifier(column.name)} ${columnType(column)}`)
    await questions.run(
      `CREATE TABLE ${staging} (${typed.join(', ')}, h FixedString(16), v UInt64)
        ENGINE = MergeTree ORDER BY tuple()`,
      { signal },
    )
    const values = columns.map((column, index) => `${columnValue(column, `f${index}`)} AS x${index}`)
    const hash = `sipHash128(toString(tuple(${columns.map((_, index) => `x${index}`).join(', ')})))`
    await questions.run(
      `INSERT INTO ${staging} SELECT ${[...values, hash, 'v'].join(', ')}
        FROM input(${quoteString(structureOf(columns, trailer))}) FORMAT TSV`,
      { body: data.open(), settings: { ...lineSettings, async_insert: '0' }, signal },
    )
    const live = nameOf(database, target)
    const rows = `SELECT *, sipHash128(toString(tuple(${listOf(names)}))) AS h FROM ${live}
      ${mapping.tableEngine === 'ReplacingMergeTree' ? 'FINAL' : ''} WHERE h IN (SELECT h FROM ${staging})`
    // The oldest go: a row that came back after its removal is above the tombstone's version.
    const chosen = `SELECT *, row_number() OVER (PARTITION BY h ORDER BY ${versionColumn}, ${rowIdColumn}) AS n FROM (${rows})`
    await questions.run(
      `INSERT INTO ${live} (${listOf(namesOf({ columns, key: [] }))})
        SELECT ${[...names.map((name) => `l.${quoteIdentifier(name)}`), 's.version', '1', `l.${rowIdColumn}`].join(', ')}
        FROM (${chosen}) AS l
        JOIN (SELECT h, max(v) AS version, count() AS removed FROM ${staging} GROUP BY h) AS s ON l.h = s.h
        WHERE l.n <= s.removed`,
      { settings: oneBlock({ insertSettings }, token), queryId: queryIdOf(token), signal },
    )
  })
}

/** A table that is gone after the step, or before the step is repeated. */
async function staged(
  { questions, database, token }: RowParts,
  target: string,
  signal: AbortSignal,
  use: (name: string) => Promise<void>,
): Promise<void> {
  const hash = createHash('sha256').update(token).digest('hex').slice(0, 16)
  const name = nameOf(database, `${target}_pipe_staging_${hash}`)
  await questions.run(`DROP TABLE IF EXISTS ${name} SYNC`, { signal })
  await use(name)
  await questions.run(`DROP TABLE IF EXISTS ${name} SYNC`, { signal })
}

const namesOf = ({ columns, key }: Pick<Step<'insert'>, 'columns' | 'key'>): string[] => [
  ...columns.map(({ name }) => name),
  ...[versionColumn, deletedColumn],
  ...(key.length === 0 ? [rowIdColumn] : []),
]

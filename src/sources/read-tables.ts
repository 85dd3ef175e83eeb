import { AppError } from '../domain/errors.ts'
import type { TableDescription } from '../domain/source/types.ts'
import type { Asking } from '../gateway/internal/ask.ts'
import { quoteString } from '../lib/clickhouse/identifiers.ts'
import { createLexer, isName, nextToken } from '../lib/clickhouse/lexer.ts'
import { unquote } from '../lib/clickhouse/literals.ts'
import type { TableReader } from './tables.ts'

/** More tables than these are not proposed; a source of any table can be made by name. */
const mostTables = 2_000
const mostBytes = 64 * 1024 ** 2

/** Reads descriptions of tables from a service's engine, as the product itself: no password is needed. */
export function createTableReader({ ask }: Pick<Asking, 'ask'>): TableReader {
  const described = async (serviceId: string, found: Found) =>
    (await select<DescriptionRow>(serviceId, describe(found))).map(toDescription)
  const names = async (serviceId: string, statement: string) =>
    (await select<[string]>(serviceId, statement)).map(([name]) => name)
  return {
    async describe(serviceId, { database, table }) {
      const [inDatabase, name] = [`database = ${quoteString(database)}`, quoteString(table)]
      const found = {
        tables: `${inDatabase} AND name = ${name}`,
        columns: `${inDatabase} AND table = ${name}`,
      }
      return (await described(serviceId, found))[0] ?? null
    },
    list: (serviceId) => described(serviceId, ofUsers),
    databases: (serviceId) => names(serviceId, `SELECT name FROM system.databases LIMIT ${mostTables}`),
    tables: (serviceId, database) =>
      names(
        serviceId,
        `SELECT name FROM system.tables WHERE database = ${quoteString(database)} LIMIT ${mostTables}`,
      ),
  }

  async function select<Row>(serviceId: string, statement: string): Promise<Row[]> {
    const answer = await ask({
      serviceId,
      principal: { name: 'granary:sources', role: 'readOnly', settings: { max_execution_time: '30' } },
      countsAsActivity: true,
      statement,
      format: 'JSONCompactEachRow',
    })
    try {
      if (answer.exception) throw answer.exception
      const text = await readAll(answer.body)
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Row)
    } catch (error) {
      const detail = error instanceof Error ? error.message : ''
      const options = { detail, cause: error }
      throw new AppError('UNAVAILABLE', 'the tables of the service cannot be read at the moment', options)
    }
  }
}

type DescriptionRow = [database: string, table: string, sortingKey: string, columns: [string, string][]]

/** Conditions on `system.tables` and `system.columns`. */
interface Found {
  tables: string
  columns: string
}

/** The engine's own, and the books of pipes. */
const notHidden = `database NOT IN ('system', 'INFORMATION_SCHEMA', 'information_schema', 'granary_pipes')`
const ofUsers: Found = {
  tables: `${notHidden} AND NOT is_temporary AND NOT startsWith(name, '.inner')`,
  columns: notHidden,
}

const describe = ({ tables, columns }: Found): string =>
  `SELECT t.database, t.name, t.sorting_key, c.columns
  FROM (SELECT database, name, sorting_key FROM system.tables WHERE ${tables}
    ORDER BY database, name LIMIT ${mostTables}) AS t
  INNER JOIN (SELECT database, table, groupArray((name, type)) AS columns
    FROM (SELECT database, table, name, type FROM system.columns WHERE ${columns} ORDER BY position)
    GROUP BY database, table) AS c
  ON t.database = c.database AND t.name = c.table
  ORDER BY t.database, t.name`

function toDescription([database, table, sortingKey, pairs]: DescriptionRow): TableDescription {
  const columns = pairs.map(([name, type]) => ({ name, type }))
  return {
    database,
    table,
    columns,
    sortingKey: columnsIn(sortingKey, new Set(columns.map(({ name }) => name))),
  }
}

/** The columns that an expression names, in its order: of `toDate(ts), host` these are `ts` and `host`. */
function columnsIn(expression: string, columns: ReadonlySet<string>): string[] {
  const found = new Set<string>()
  const lexer = createLexer(expression)
  for (let kind = nextToken(lexer); kind !== 'end'; kind = nextToken(lexer)) {
    if (!isName(lexer)) continue
    const name = unquote(expression.slice(lexer.start, lexer.end))
    if (columns.has(name)) found.add(name)
  }
  return [...found]
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new Error('the descriptions of the tables are too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { type CompiledQuery, type QueryResult, SelectQueryNode } from 'kysely'

/**
 * Selects on a snapshot that lasts for one turn of the event loop: beginning a read costs as much as reading,
 * and many requests are answered in one turn. A query that was run in a turn is not run again in it. A write of
 * this process ends the snapshot at once, so that the writer reads what it wrote; a write of another process is
 * seen in the next turn. Rows are shared and must not be mutated.
 */
export class Reader {
  readonly #connection: Connection
  /** Results by the query's text and its parameters; null while no snapshot is open. */
  #seen: Map<string, Map<string, QueryResult<unknown>>> | null = null

  constructor(connection: Connection) {
    this.#connection = connection
  }

  select<R>(query: CompiledQuery): QueryResult<R> {
    const seen = this.#seen ?? this.#begin()
    let results = seen.get(query.sql)
    if (!results) {
      results = new Map()
      seen.set(query.sql, results)
    }
    const key = JSON.stringify(query.parameters)
    let result = results.get(key)
    if (!result) {
      result = this.#connection.execute<R>(query)
      results.set(key, result)
    }
    return result as QueryResult<R>
  }

  refresh(): void {
    if (!this.#seen) return
    this.#seen = null
    this.#connection.run('commit')
  }

  close(): void {
    this.refresh()
    this.#connection.close()
  }

  #begin(): Map<string, Map<string, QueryResult<unknown>>> {
    this.#connection.run('begin')
    setImmediate(() => this.refresh())
    this.#seen = new Map()
    return this.#seen
  }
}

/** One SQLite connection with its prepared statements. */
export class Connection {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, Prepared>()

  constructor(path: string, synchronous: 'full' | 'normal') {
    this.#database = new DatabaseSync(path, { timeout: 10_000 })
    this.#database.exec('pragma journal_mode = wal')
    this.#database.exec(`pragma synchronous = ${synchronous}`)
    this.#database.exec('pragma foreign_keys = on')
  }

  execute<R>(query: CompiledQuery): QueryResult<R> {
    const { statement, columns } = this.#prepare(query.sql)
    const parameters = query.parameters as SQLInputValue[]
    if (columns.length === 0) {
      const { changes, lastInsertRowid } = statement.run(...parameters)
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
    }
    const rows = (statement.all(...parameters) as unknown as unknown[][]).map((row) =>
      toObject<R>(columns, row),
    )
    return isSelect(query) ? { rows } : { rows, numAffectedRows: BigInt(rows.length) }
  }

  run(sql: string): void {
    this.#prepare(sql).statement.run()
  }

  get isInTransaction(): boolean {
    return this.#database.isTransaction
  }

  close(): void {
    this.#database.close()
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql)
    if (known) return known
    // There are few distinct statements; the bound is for lists of varying length.
    if (this.#statements.size > 500) this.#statements.clear()
    const statement = this.#database.prepare(sql)
    const columns = statement.columns().map(({ name }) => name)
    if (columns.length > 0) statement.setReturnArrays(true)
    const prepared = { statement, columns }
    this.#statements.set(sql, prepared)
    return prepared
  }
}

interface Prepared {
  statement: StatementSync
  /** Empty for a statement that returns no rows. */
  columns: string[]
}

/**
 * Faster than the objects of node:sqlite, which are built by name for every row and take longer than the query.
 */
function toObject<R>(columns: readonly string[], row: readonly unknown[]): R {
  const object: Record<string, unknown> = {}
  for (let index = 0; index < columns.length; index++) object[columns[index] ?? ''] = row[index]
  return object as R
}

/** Recognizes selects built by Kysely and selects written as text. */
export const isSelect = ({ query, sql }: CompiledQuery): boolean =>
  SelectQueryNode.is(query) || /^\s*select\b/i.test(sql)

/** A mutex with a FIFO queue: the holder of the turn must give it back. */
export class Turns {
  #taken = false
  readonly #waiting: (() => void)[] = []

  async take(): Promise<void> {
    if (!this.#taken) {
      this.#taken = true
      return
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  give(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#taken = false
  }
}

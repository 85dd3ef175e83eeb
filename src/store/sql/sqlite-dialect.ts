import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'

/**
 * Kysely on `node:sqlite`, made for one process that writes durably and reads much.
 *
 * Three connections on one file in WAL mode. Transactions have one to themselves, so selects outside of them run
 * at once on another and never wait for a transaction that is open across awaits. Whoever writes takes turns.
 * The turns are kept here because SQLite's own busy wait is synchronous: it would block the very event loop it
 * waits for.
 *
 * Durability: a transaction is a promise to somebody, and its commit returns after the log is on the disk
 * (synchronous=FULL). A single statement outside of one is bookkeeping of the loops: it survives the end of the
 * process, and reaches the disk with the next transaction (synchronous=NORMAL). Were the power to fail before,
 * the work that it notes is done again.
 */
export function createSqliteDialect(path: string): Dialect & { direct: DirectRun } {
  const driver = new SqliteDriver(path)
  return {
    createAdapter: () => new ReaderAndWriterAdapter(),
    createDriver: () => driver,
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    direct: driver,
  }
}

/** Runs a compiled query at once: Kysely's way through promises costs more than the query. */
export interface DirectRun {
  /** Outside of transactions. */
  select<R>(query: CompiledQuery<R>): QueryResult<R>
  /** Only between the begin and the end of a transaction, by the one who has it. */
  inTransaction<R>(query: CompiledQuery<R>): QueryResult<R>
}

/** Without this, Kysely would let every read wait for the transaction that is open. */
class ReaderAndWriterAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

class SqliteDriver implements Driver, DirectRun {
  readonly #path: string
  #parts: Parts | undefined

  constructor(path: string) {
    this.#path = path
  }

  async init(): Promise<void> {
    this.#parts = {
      durable: new Connection(this.#path, 'full'),
      relaxed: new Connection(this.#path, 'normal'),
      reader: new Reader(new Connection(this.#path, 'normal')),
      turns: new Turns(),
    }
  }

  select<R>(query: CompiledQuery<R>): QueryResult<R> {
    return this.#open().reader.select<R>(query)
  }

  inTransaction<R>(query: CompiledQuery<R>): QueryResult<R> {
    return this.#open().durable.execute<R>(query)
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return new Session(this.#open())
  }

  async beginTransaction(session: Session): Promise<void> {
    await session.begin()
  }

  async commitTransaction(session: Session): Promise<void> {
    session.commit()
  }

  async rollbackTransaction(session: Session): Promise<void> {
    session.rollback()
  }

  async releaseConnection(): Promise<void> {}

  #open(): Parts {
    if (!this.#parts) throw new Error('the database is not open')
    return this.#parts
  }

  async destroy(): Promise<void> {
    const parts = this.#parts
    if (!parts) return
    await parts.turns.take()
    this.#parts = undefined
    parts.reader.close()
    parts.relaxed.close()
    parts.durable.close()
  }
}

interface Parts {
  /** For transactions. */
  durable: Connection
  /** For single writes outside of them. */
  relaxed: Connection
  reader: Reader
  turns: Turns
}

/** What Kysely holds for a query or a transaction. */
class Session implements DatabaseConnection {
  readonly #parts: Parts
  #inTransaction = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { durable, relaxed, reader, turns } = this.#parts
    if (this.#inTransaction) return durable.execute<R>(query)
    if (isSelect(query)) return reader.select<R>(query)
    await turns.take()
    try {
      return relaxed.execute<R>(query)
    } finally {
      reader.refresh()
      turns.give()
    }
  }

  // biome-ignore lint/correctness/useYield: nothing here streams; Kysely's interface asks for the method
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not offered: read in pages')
  }

  async begin(): Promise<void> {
    await this.#parts.turns.take()
    try {
      this.#parts.durable.run('begin immediate')
      this.#inTransaction = true
    } catch (error) {
      this.#parts.turns.give()
      throw error
    }
  }

  /** When it fails, the transaction and the turn are still ours: Kysely then rolls back. */
  commit(): void {
    this.#parts.durable.run('commit')
    this.#parts.reader.refresh()
    this.#end()
  }

  rollback(): void {
    try {
      // A full disk, for one, ends a transaction without being asked; the first error is the one to tell.
      const { durable } = this.#parts
      if (durable.isInTransaction) durable.run('rollback')
    } finally {
      this.#end()
    }
  }

  #end(): void {
    this.#inTransaction = false
    this.#parts.turns.give()
  }
}

/**
 * Selects on a snapshot that lasts for one turn of the event loop: beginning to read costs as much as reading,
 * and many requests are answered in one turn. What was read in a turn need not be read again in it. A write of
 * this process ends the snapshot at once, so that whoever wrote reads what was written; a write of another
 * process is seen in the next turn. Rows are shared, so nobody may change them.
 */
class Reader {
  readonly #connection: Connection
  /** By the query's text and its parameters; null while no snapshot is open. */
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
class Connection {
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
    // Statements come from code, so there are few; the bound is for lists of varying length.
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
  /** Empty for what returns no rows. */
  columns: string[]
}

/** SQLite's own objects are built by name for every row, which takes longer than the query. */
function toObject<R>(columns: readonly string[], row: readonly unknown[]): R {
  const object: Record<string, unknown> = {}
  for (let index = 0; index < columns.length; index++) object[columns[index] ?? ''] = row[index]
  return object as R
}

/** Built by Kysely, or written out as text. */
export const isSelect = ({ query, sql }: CompiledQuery): boolean =>
  SelectQueryNode.is(query) || /^\s*select\b/i.test(sql)

/** A queue of one: whoever takes the turn must give it back. */
class Turns {
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

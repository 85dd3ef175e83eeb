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
 * Kysely on `node:sqlite`, made for one durable writer and many readers in one process.
 *
 * Two connections on one file in WAL mode. Transactions have one to themselves, so selects outside of them run
 * at once on the other and never wait for a transaction that is open across awaits. Whoever writes takes turns.
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
  #durable: Connection | undefined
  #direct: Connection | undefined
  readonly #turns = new Turns()

  constructor(path: string) {
    this.#path = path
  }

  async init(): Promise<void> {
    this.#durable = new Connection(this.#path, 'full')
    this.#direct = new Connection(this.#path, 'normal')
  }

  select<R>(query: CompiledQuery<R>): QueryResult<R> {
    return this.#open(this.#direct).execute<R>(query)
  }

  inTransaction<R>(query: CompiledQuery<R>): QueryResult<R> {
    return this.#open(this.#durable).execute<R>(query)
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return new Session(this.#open(this.#durable), this.#open(this.#direct), this.#turns)
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

  #open(connection: Connection | undefined): Connection {
    if (!connection) throw new Error('the database is not open')
    return connection
  }

  async destroy(): Promise<void> {
    await this.#turns.take()
    this.#direct?.close()
    this.#durable?.close()
    this.#direct = undefined
    this.#durable = undefined
  }
}

/** What Kysely holds for a query or a transaction. */
class Session implements DatabaseConnection {
  readonly #durable: Connection
  readonly #direct: Connection
  readonly #turns: Turns
  #inTransaction = false

  constructor(durable: Connection, direct: Connection, turns: Turns) {
    this.#durable = durable
    this.#direct = direct
    this.#turns = turns
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#inTransaction) return this.#durable.execute<R>(query)
    if (isSelect(query)) return this.#direct.execute<R>(query)
    await this.#turns.take()
    try {
      return this.#direct.execute<R>(query)
    } finally {
      this.#turns.give()
    }
  }

  // biome-ignore lint/correctness/useYield: nothing here streams; Kysely's interface asks for the method
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not offered: read in pages')
  }

  async begin(): Promise<void> {
    await this.#turns.take()
    try {
      this.#durable.run('begin immediate')
      this.#inTransaction = true
    } catch (error) {
      this.#turns.give()
      throw error
    }
  }

  /** When it fails, the transaction and the turn are still ours: Kysely then rolls back. */
  commit(): void {
    this.#durable.run('commit')
    this.#end()
  }

  rollback(): void {
    try {
      // A full disk, for one, ends a transaction without being asked; the first error is the one to tell.
      if (this.#durable.isInTransaction) this.#durable.run('rollback')
    } finally {
      this.#end()
    }
  }

  #end(): void {
    this.#inTransaction = false
    this.#turns.give()
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

import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { Connection, isSelect, Reader, Turns } from './sqlite-connection.ts'
import { GroupCommit } from './sqlite-group.ts'

/**
 * Kysely on `node:sqlite`, made for one process that writes durably and reads much.
 *
 * Three connections on one file in WAL mode. Transactions have one to themselves, so selects outside of them
 * run at once on another and never wait for a transaction that is open across awaits. Writers take turns. The
 * turns are kept here because SQLite's own busy wait is synchronous: it would block the very event loop it
 * waits for.
 *
 * Durability: a transaction is acknowledged only after the log is on the disk (synchronous=FULL), together with
 * others of the same moment (see GroupCommit). A single statement outside of a transaction is bookkeeping of
 * the loops: it survives the end of the process, and reaches the disk with the next transaction
 * (synchronous=NORMAL). If power fails before, the loops do the noted work again.
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

/** Runs a compiled query synchronously: Kysely's promises cost more than the query. */
export interface DirectRun {
  /** Only outside of transactions. */
  select<R>(query: CompiledQuery<R>): QueryResult<R>
  /** Only between the begin and the end of a transaction, by the caller that runs it. */
  inTransaction<R>(query: CompiledQuery<R>): QueryResult<R>
}

/** Without this adapter, Kysely would make every read wait for the open transaction. */
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
    const durable = new Connection(this.#path, 'full')
    const reader = new Reader(new Connection(this.#path, 'normal'))
    this.#parts = {
      durable,
      group: new GroupCommit(durable, () => reader.refresh()),
      relaxed: new Connection(this.#path, 'normal'),
      reader,
      turns: new Turns(),
    }
  }

  select<R>(query: CompiledQuery<R>): QueryResult<R> {
    return this.#open().reader.select<R>(query)
  }

  inTransaction<R>(query: CompiledQuery<R>): QueryResult<R> {
    return this.#open().group.execute<R>(query)
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return new Session(this.#open())
  }

  async beginTransaction(session: Session): Promise<void> {
    await session.begin()
  }

  async commitTransaction(session: Session): Promise<void> {
    await session.commit()
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
    parts.group.commit()
    parts.reader.close()
    parts.relaxed.close()
    parts.durable.close()
  }
}

interface Parts {
  /** For transactions. */
  durable: Connection
  group: GroupCommit
  /** For single writes outside of transactions. */
  relaxed: Connection
  reader: Reader
  turns: Turns
}

/** The connection that Kysely holds for a query or a transaction. */
class Session implements DatabaseConnection {
  readonly #parts: Parts
  #inTransaction = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { group, relaxed, reader, turns } = this.#parts
    if (this.#inTransaction) return group.execute<R>(query)
    if (isSelect(query)) return reader.select<R>(query)
    await turns.take()
    let joined: Promise<QueryResult<R>>
    try {
      // An open group holds the database's only write lock.
      if (!group.isOpen) return relaxed.execute<R>(query)
      joined = group.executeAlone<R>(query)
    } finally {
      reader.refresh()
      turns.give()
    }
    return joined
  }

  // biome-ignore lint/correctness/useYield: nothing here streams; Kysely's interface asks for the method
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not offered: read in pages')
  }

  async begin(): Promise<void> {
    await this.#parts.turns.take()
    try {
      this.#parts.group.begin()
      this.#inTransaction = true
    } catch (error) {
      this.#parts.turns.give()
      throw error
    }
  }

  /** If `end` throws, the turn is still held and Kysely rolls back; after it, nothing is left to roll back. */
  async commit(): Promise<void> {
    const committed = this.#parts.group.end()
    this.#end()
    await committed
  }

  rollback(): void {
    if (!this.#inTransaction) return
    try {
      this.#parts.group.undo()
    } finally {
      this.#end()
    }
  }

  #end(): void {
    this.#inTransaction = false
    this.#parts.turns.give()
  }
}

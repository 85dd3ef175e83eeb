import type { CompiledQuery, QueryResult } from 'kysely'
import type { Connection } from './sqlite-connection.ts'

/**
 * Commits transactions together, so that those of one turn of the event loop wait for the disk once.
 *
 * The first transaction begins a SQLite transaction, the group. Each transaction is a savepoint in the group:
 * they run one after the other, each sees the writes of those before it, and a failed one is rolled back alone.
 * When the turn of the event loop is over the group is committed, and only then is any of them acknowledged. If
 * the commit fails, or the database aborts the whole group (a full disk), none of its transactions was
 * acknowledged and all of them fail. No constraint of the schema is deferred, so the writes of one transaction
 * cannot fail the commit of the others.
 */
export class GroupCommit {
  readonly #connection: Connection
  readonly #committed: () => void
  #group: PromiseWithResolvers<void> | null = null
  /** Whether a transaction, the holder of the turn, is between its begin and its end. */
  #isWorking = false
  /** The turn of the event loop in which the group began is over. */
  #isDue = false
  /** Why the database aborted the group of the current transaction. */
  #lost: unknown = null

  constructor(connection: Connection, committed: () => void) {
    this.#connection = connection
    this.#committed = committed
  }

  get isOpen(): boolean {
    return this.#group !== null
  }

  begin(): void {
    this.#lost = null
    if (!this.#group) this.#open()
    this.#connection.run('savepoint one')
    this.#isWorking = true
  }

  execute<R>(query: CompiledQuery): QueryResult<R> {
    if (this.#lost) throw this.#lost
    try {
      return this.#connection.execute<R>(query)
    } catch (error) {
      if (!this.#connection.isInTransaction) this.#lose(error)
      throw error
    }
  }

  /** A statement outside of transactions. Resolves, like `end`, when it is on the disk. */
  async executeAlone<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const committed = this.#group?.promise
    this.#lost = null
    const result = this.execute<R>(query)
    await committed
    return result
  }

  /** If this throws, the holder of the turn must roll back. The promise resolves when the group is on the disk. */
  end(): Promise<void> {
    if (this.#lost || !this.#group) throw this.#lost ?? new Error('no transaction is open')
    this.#connection.run('release one')
    const { promise } = this.#group
    this.#leave()
    return promise
  }

  undo(): void {
    try {
      if (this.#lost) return
      this.#connection.run('rollback to one')
      this.#connection.run('release one')
    } finally {
      this.#leave()
    }
  }

  /** Called while no transaction is working: commits the open group now. */
  commit(): void {
    const group = this.#group
    if (!group) return
    try {
      this.#connection.run('commit')
    } catch (error) {
      if (this.#connection.isInTransaction) this.#connection.run('rollback')
      this.#lose(error)
      return
    }
    this.#group = null
    this.#committed()
    group.resolve()
  }

  #open(): void {
    this.#connection.run('begin immediate')
    const group = Promise.withResolvers<void>()
    // If the group's only transaction failed, no caller waits for this promise.
    group.promise.catch(() => {})
    this.#group = group
    this.#isDue = false
    setImmediate(() => {
      if (this.#group !== group) return
      if (this.#isWorking) this.#isDue = true
      else this.commit()
    })
  }

  #leave(): void {
    this.#isWorking = false
    if (this.#isDue) this.commit()
  }

  #lose(error: unknown): void {
    this.#lost = error
    this.#group?.reject(error)
    this.#group = null
  }
}

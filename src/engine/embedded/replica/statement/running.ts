import { EngineError } from '../../engine-error.ts'
import { tagSetting } from '../../filter/settings.ts'
import type { EngineResult } from '../engine/library.ts'

/** The statements that clients run on this replica, by query id. */
export interface RunningStatements {
  /** Throws if a statement with this id runs already. */
  add(queryId: string, shown?: ShownStatement): RunningStatement
  byTag(tag: string): RunningStatement | undefined
  byQueryId(queryId: string): RunningStatement | undefined
  /** The statements that have a connection. */
  inEngine(): RunningStatement[]
  /** Cancels every running statement. */
  cancelAll(): void
  /** Resolves when no statement runs. */
  idle(): Promise<void>
  readonly size: number
}

/** What other clients see of a statement. */
export interface ShownStatement {
  user: string
  /** As the client wrote it, without the data of an INSERT. */
  text: string
}

export interface RunningStatement extends Readonly<ShownStatement> {
  readonly queryId: string
  /** The tag of the statement's connection; '' = it has none. */
  tag: string
  /** False while the engine runs the statement. */
  readonly hasEnded: boolean
  /** Runs SQL on the engine as a part of this statement. */
  run(connection: RunsQueries, sql: string, format?: string | null): Promise<EngineResult>
  /** Resolves when the engine has accepted the cancellation, or the statement has ended by itself. */
  cancel(): Promise<void>
  /** Resolves on `remove`. */
  readonly done: Promise<void>
  remove(): void
}

interface RunsQueries {
  readonly tag: string
  query(sql: string, format?: string | null): Promise<EngineResult>
}

/** `run` executes one of the replica's own statements, on a separate connection. */
export function createRunningStatements(run: (sql: string) => Promise<string>): RunningStatements {
  const byId = new Map<string, RunningStatement>()
  const waiting = new Set<() => void>()

  function add(queryId: string, { user, text } = nothingShown): RunningStatement {
    if (byId.has(queryId)) {
      const message = `Query with id = ${queryId} is already running`
      throw new EngineError(216, 'QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING', message)
    }
    let [hasEnded, isCancelled] = [true, false]
    const { promise: done, resolve: setDone } = Promise.withResolvers<void>()

    async function cancel(): Promise<void> {
      isCancelled = true
      // The engine may not list the statement yet at the first KILL.
      for (let waitMs = 5; !hasEnded; waitMs = Math.min(waitMs * 2, 500)) {
        if (await kill(statement.tag)) return
        await new Promise((resolve) => setTimeout(resolve, waitMs))
      }
    }

    const statement: RunningStatement = {
      queryId,
      user,
      text,
      tag: '',
      get hasEnded() {
        return hasEnded
      },
      async run(connection, sql, format) {
        if (isCancelled) throw cancelled()
        statement.tag = connection.tag
        hasEnded = false
        try {
          return await connection.query(sql, format)
        } finally {
          hasEnded = true
        }
      },
      cancel,
      done,
      remove() {
        byId.delete(queryId)
        setDone()
        if (byId.size > 0) return
        for (const resolve of waiting) resolve()
        waiting.clear()
      },
    }
    byId.set(queryId, statement)
    return statement
  }

  async function kill(tag: string): Promise<boolean> {
    try {
      return (await run(`KILL QUERY WHERE Settings['${tagSetting}'] = '${tag}' ASYNC`)) !== ''
    } catch {
      // The KILL may fail when memory is short; `cancel` tries again.
      return false
    }
  }

  return {
    add,
    byTag: (tag) => [...byId.values()].find((statement) => statement.tag === tag && !statement.hasEnded),
    byQueryId: (queryId) => byId.get(queryId),
    inEngine: () => [...byId.values()].filter(({ tag }) => tag !== ''),
    cancelAll() {
      for (const statement of byId.values()) void statement.cancel()
    },
    idle: () => (byId.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.add(resolve))),
    get size() {
      return byId.size
    },
  }
}

const nothingShown: ShownStatement = { user: '', text: '' }

export const cancelled = (): EngineError => new EngineError(394, 'QUERY_WAS_CANCELLED', 'Query was cancelled')

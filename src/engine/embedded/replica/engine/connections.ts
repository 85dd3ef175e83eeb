import { EngineError } from '../../engine-error.ts'
import { tagSetting } from '../../filter/settings.ts'
import { ourTags } from './engine-config.ts'
import { isCrash } from './errors.ts'
import type { EngineConnection, EngineResult, Library, Parsed } from './library.ts'

/**
 * Connections to the engine. Opening and setting up a connection costs about as much as a small query, so after a
 * statement that leaves nothing behind the connection is kept for the next request with the same settings.
 */
export interface Connections {
  take(profile: ConnectionProfile): Promise<Connection>
  /** Runs one of the replica's own statements, on a connection without any settings, and returns the result as text. */
  run(sql: string): Promise<string>
  /** Parses statements without running any. */
  parse(statements: readonly string[]): Promise<Parsed[]>
  /** Opens a new connection, runs a query on it, and closes it. */
  probe(): Promise<void>
  /** Resolves when all connections are released and closed: the library must not be closed while one is in use. */
  close(): Promise<void>
}

export interface ConnectionProfile {
  /** Settings that clients cannot set, as on a command line. */
  args: readonly string[]
  /** Statements to run first, as in `SET a = '1';USE d`; '' = none. */
  setup: string
  /** Names of the substitutions that every statement on the connection sets: none is left over from another request. */
  substitutions: string
  /** For the replica's own statements, which clients can neither see nor kill. */
  isOurs: boolean
}

export const plainProfile: ConnectionProfile = { args: [], setup: '', substitutions: '', isOurs: false }
export const ourProfile: ConnectionProfile = { ...plainProfile, isOurs: true }

export interface Connection {
  /** Identifies the connection's statements in `system.processes`. */
  readonly tag: string
  query(sql: string, format?: string | null): Promise<EngineResult>
  /** `clean` = the connection is as it was when taken. After a failure it never is: old output may be left in it. */
  release(state: 'clean' | 'dirty'): void
}

export function createConnections({
  library,
  directory,
  firstArgs,
  onCrash = () => undefined,
  maxIdle = 64,
}: {
  library: Library
  directory: string
  /** Arguments of the connection that opens the engine and stays open until `close`. */
  firstArgs: readonly string[]
  /** Called when the engine has crashed and will never answer again. */
  onCrash?: (error: EngineError) => void
  maxIdle?: number
}): Connections {
  const first = library.connect(directory, firstArgs)
  /** Idle connections by profile, the least recently used profile first. */
  const idle = new Map<string, Idle[]>()
  let idleCount = 0
  let lastTag = 0
  let inUse = 0
  let parsing: Promise<unknown> = Promise.resolve()
  let onAllBack: (() => void) | undefined

  function wrap({ connection, tag }: Idle, key: string): Connection {
    return {
      tag,
      query: (sql, format = 'TabSeparated') => connection.query(sql, format).catch(failed),
      release(state) {
        if (state === 'dirty' || onAllBack !== undefined) connection.close()
        else putBack(key, { connection, tag })
        isBack()
      },
    }
  }

  function failed(error: unknown): never {
    if (error instanceof EngineError && isCrash(error)) onCrash(error)
    throw error
  }

  function isBack(): void {
    inUse--
    if (inUse === 0) onAllBack?.()
  }

  function putBack(key: string, item: Idle): void {
    const list = idle.get(key) ?? []
    list.push(item)
    // Moves the profile to the end, so that the connections of unused profiles are closed first.
    idle.delete(key)
    idle.set(key, list)
    idleCount++
    if (idleCount > maxIdle) closeOldest()
  }

  function closeOldest(): void {
    const [entry] = idle
    if (entry === undefined) return
    const [key, list] = entry
    list.shift()?.connection.close()
    idleCount--
    if (list.length === 0) idle.delete(key)
  }

  function takeIdle(key: string): Idle | undefined {
    const list = idle.get(key)
    const item = list?.pop()
    if (item === undefined) return undefined
    idleCount--
    if (list?.length === 0) idle.delete(key)
    return item
  }

  async function make({ args, setup, isOurs }: ConnectionProfile): Promise<Idle> {
    const tag = `${isOurs ? ourTags : 'client-'}${++lastTag}`
    const connection = library.connect(directory, [...args, `--${tagSetting}=${tag}`])
    try {
      if (setup !== '') await connection.query(setup, 'Null').catch(failed)
    } catch (error) {
      connection.close()
      throw error
    }
    return { connection, tag }
  }

  async function take(profile: ConnectionProfile, isFresh = false): Promise<Connection> {
    const { args, setup, substitutions, isOurs } = profile
    const key = `${isOurs}\n${args.join(' ')}\n${setup}\n${substitutions}`
    inUse++
    try {
      return wrap((isFresh ? undefined : takeIdle(key)) ?? (await make(profile)), key)
    } catch (error) {
      isBack()
      throw error
    }
  }

  async function parseAll(statements: readonly string[]): Promise<Parsed[]> {
    const all: Parsed[] = []
    for (const sql of statements) all.push(await first.parse(sql))
    return all
  }

  return {
    take: (profile) => take(profile),
    async probe() {
      const connection = await take(ourProfile, true)
      await connection.query('SELECT 1').finally(() => connection.release('dirty'))
    },
    async run(sql) {
      const connection = await take(ourProfile)
      try {
        const { bytes } = await connection.query(sql)
        connection.release('clean')
        return bytes.toString('utf8')
      } catch (error) {
        connection.release('dirty')
        throw error
      }
    },
    parse(statements) {
      // A connection parses one statement at a time.
      const parsed = parsing.then(() => parseAll(statements))
      parsing = parsed.catch(() => undefined)
      return parsed
    },
    async close() {
      await new Promise<void>((resolve) => {
        onAllBack = resolve
        if (inUse === 0) resolve()
      })
      while (idleCount > 0) closeOldest()
      await parsing
      first.close()
    },
  }
}

interface Idle {
  connection: EngineConnection
  tag: string
}

import { quoteIdentifier, quoteString } from '../../../lib/clickhouse/identifiers.ts'
import { type Connection, type Connections, plainProfile } from './connections.ts'
import { EngineError } from './errors.ts'
import type { SessionWish } from './parameters.ts'
import { setStatement } from './parameters.ts'

/** Connections that belong to a client: what it sets and its temporary tables stay for its next request. */
export interface Sessions {
  enter(wish: SessionWish, forOneStatement: SessionChanges): Promise<SessionConnection>
  close(): void
}

/** Settings and the database in the URL count for that statement only. */
export interface SessionChanges {
  settings: [string, string][]
  database: string
  /** Whether the client's user may only read. */
  readOnlyUser: boolean
}

export interface SessionConnection extends Pick<Connection, 'tag' | 'query'> {
  /** The session is as it was but for what the statement did; then others may use it. */
  leave(): Promise<void>
}

interface Session {
  connection: Connection
  isBusy: boolean
  timer: NodeJS.Timeout | undefined
}

const maxSessions = 512

export function createSessions(connections: Connections): Sessions {
  const sessions = new Map<string, Session>()

  function drop(key: string, session: Session): void {
    clearTimeout(session.timer)
    sessions.delete(key)
    session.connection.release('dirty')
  }

  async function find(wish: SessionWish, readOnlyUser: boolean): Promise<Session> {
    const found = sessions.get(wish.key)
    if (found?.isBusy === true) {
      throw new EngineError(373, 'SESSION_IS_LOCKED', `Session ${wish.key} is locked by a concurrent client`)
    }
    if (found !== undefined) {
      found.isBusy = true
      return found
    }
    if (wish.mustExist) throw new EngineError(372, 'SESSION_NOT_FOUND', `Session ${wish.key} not found`)
    if (sessions.size >= maxSessions) {
      throw new EngineError(763, 'SESSION_REFUSED', `Too many sessions. Maximum: ${maxSessions}`)
    }
    // Its place is taken before we wait, so that two first requests do not make two of it.
    const session: Session = { connection: notYet, isBusy: true, timer: undefined }
    sessions.set(wish.key, session)
    try {
      const setup = readOnlyUser ? 'SET readonly = 2' : ''
      session.connection = await connections.take({ ...plainProfile, setup, substitutions: wish.key })
    } catch (error) {
      sessions.delete(wish.key)
      throw error
    }
    return session
  }

  return {
    async enter(wish, changes) {
      const session = await find(wish, changes.readOnlyUser)
      clearTimeout(session.timer)
      const { connection } = session
      const leave = async (undo: string): Promise<void> => {
        try {
          // Also takes away what a statement that failed may have left of its output.
          if (undo !== '') await connection.query(undo, 'Null')
        } catch {
          return drop(wish.key, session)
        }
        session.isBusy = false
        if (wish.closeAfter) return drop(wish.key, session)
        session.timer = setTimeout(() => drop(wish.key, session), wish.timeoutMs).unref()
      }
      let undo = ''
      try {
        undo = await change(connection, changes)
      } catch (error) {
        await leave('')
        throw error
      }
      return { tag: connection.tag, query: connection.query, leave: () => leave(undo) }
    },
    close() {
      for (const [key, session] of sessions) if (!session.isBusy) drop(key, session)
    },
  }
}

/** Returns the statements that take the changes back; '' = there are none. */
async function change(connection: Connection, { settings, database }: SessionChanges): Promise<string> {
  if (settings.length === 0 && database === '') return ''
  const names = settings.map(([name]) => quoteString(name)).join(', ')
  const { bytes } = await connection.query(
    `SELECT currentDatabase(), groupArray((name, value)) FROM system.settings WHERE name IN (${names || "''"})`,
    'JSONCompactEachRow',
  )
  const [oldDatabase, oldSettings] = JSON.parse(bytes.toString('utf8')) as [string, [string, string][]]
  const statements: string[] = []
  const undo: string[] = []
  if (settings.length > 0) {
    statements.push(setStatement(settings))
    if (oldSettings.length > 0) undo.push(setStatement(oldSettings))
  }
  if (database !== '') {
    statements.push(`USE ${quoteIdentifier(database)}`)
    undo.push(`USE ${quoteIdentifier(oldDatabase)}`)
  }
  await connection.query(statements.join(';'), 'Null')
  return undo.join(';')
}

const notYet: Connection = {
  tag: '',
  query: () => Promise.reject(new Error('the session has no connection yet')),
  release: () => undefined,
}

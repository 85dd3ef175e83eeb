import { quoteIdentifier, quoteString } from '../../../../lib/clickhouse/identifiers.ts'
import { EngineError } from '../../engine-error.ts'
import { type Connection, type Connections, plainProfile } from '../engine/connections.ts'
import { forgetSubstitutions, type Parameters, type SessionWish, setStatement } from '../http/parameters.ts'

/** Connections that belong to a client: its settings and temporary tables stay for its next request. */
export interface Sessions {
  enter(wish: SessionWish, forOneStatement: SessionChanges): Promise<SessionConnection>
  close(): void
}

/** What applies only to the statement of one request: settings, the database, and whether it may write. */
export type SessionChanges = Pick<Parameters, 'settings' | 'database' | 'isEngineReadOnly' | 'substitutions'>

export interface SessionConnection extends Pick<Connection, 'tag' | 'query'> {
  /** Undoes the changes of `enter`, but not those of the statement, and frees the session for the next request. */
  leave(): Promise<void>
}

interface Session {
  owner: string
  connection: Connection
  isBusy: boolean
  timer: NodeJS.Timeout | undefined
}

export const maxSessions = 512
/** The limit for one user of one service. */
export const maxSessionsOfOwner = 128

export function createSessions(connections: Connections): Sessions {
  /** The least recently used session comes first. */
  const sessions = new Map<string, Session>()

  function drop(key: string, session: Session): void {
    clearTimeout(session.timer)
    sessions.delete(key)
    session.connection.release('dirty')
  }

  /** Closes the session that was idle for longest; throws if all are busy. */
  function makeRoom(owner: string): void {
    const all = [...sessions]
    const own = all.filter(([, session]) => session.owner === owner)
    const isOwnLimit = own.length >= maxSessionsOfOwner
    if (!isOwnLimit && all.length < maxSessions) return
    const [oldest] = (isOwnLimit ? own : all).filter(([, session]) => !session.isBusy)
    if (oldest !== undefined) {
      drop(...oldest)
      return
    }
    const message = isOwnLimit
      ? `Too many sessions of this user are in use. Maximum: ${maxSessionsOfOwner}`
      : `Too many sessions are in use. Maximum: ${maxSessions}`
    throw new EngineError(763, 'SESSION_REFUSED', message)
  }

  async function find({ key, owner, id, mustExist }: SessionWish): Promise<Session> {
    const found = sessions.get(key)
    if (found?.isBusy === true) {
      throw new EngineError(373, 'SESSION_IS_LOCKED', `Session ${id} is locked by a concurrent client`)
    }
    if (found !== undefined) {
      found.isBusy = true
      return found
    }
    if (mustExist) throw new EngineError(372, 'SESSION_NOT_FOUND', `Session ${id} not found`)
    makeRoom(owner)
    // The key is set before the first await, so that two first requests do not open two sessions.
    const session: Session = { owner, connection: notYet, isBusy: true, timer: undefined }
    sessions.set(key, session)
    try {
      session.connection = await connections.take({ ...plainProfile, substitutions: key })
    } catch (error) {
      sessions.delete(key)
      throw error
    }
    return session
  }

  return {
    async enter(wish, changes) {
      const session = await find(wish)
      clearTimeout(session.timer)
      const { connection } = session
      const leave = async (undo: string): Promise<void> => {
        try {
          // The query also clears output that a failed statement may have left.
          if (undo !== '') await connection.query(undo, 'Null')
        } catch {
          return drop(wish.key, session)
        }
        session.isBusy = false
        sessions.delete(wish.key)
        sessions.set(wish.key, session)
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

/**
 * Returns the statements that undo the changes; '' = none. The engine does not allow a lower value of `readonly`, but
 * its check misses DEFAULT, which the filter refuses to clients: see `filter/rules.ts`.
 */
async function change(connection: Connection, changes: SessionChanges): Promise<string> {
  const { settings, database, isEngineReadOnly, substitutions } = changes
  const undo = substitutions.length === 0 ? [] : [forgetSubstitutions(substitutions)]
  if (settings.length === 0 && database === '' && !isEngineReadOnly) return undo.join()
  const old = await readState(connection, settings)
  const statements: string[] = []
  if (old.readonly === '0' && (isEngineReadOnly || settings.some(([name]) => name === 'readonly'))) {
    if (isEngineReadOnly) statements.push('SET readonly = 2')
    undo.push('SET readonly = DEFAULT')
  }
  if (settings.length > 0) {
    statements.push(setStatement(settings))
    if (old.settings.length > 0) undo.push(setStatement(old.settings))
  }
  if (database !== '') {
    statements.push(`USE ${quoteIdentifier(database)}`)
    undo.push(`USE ${quoteIdentifier(old.database)}`)
  }
  if (statements.length > 0) await connection.query(statements.join(';'), 'Null')
  return undo.join(';')
}

interface SessionState {
  readonly: string
  database: string
  /** The current values of the settings that are about to change, except `readonly`. */
  settings: [string, string][]
}

async function readState(connection: Connection, changed: SessionChanges['settings']): Promise<SessionState> {
  const names = changed.map(([name]) => quoteString(name)).join(', ')
  // Reading system.settings takes some 10 ms.
  const values =
    names === ''
      ? '[], []'
      : `groupArray(name), groupArray(value) FROM system.settings WHERE name != 'readonly' AND name IN (${names})`
  const { bytes } = await connection.query(
    `SELECT toString(getSetting('readonly')), currentDatabase(), ${values}`,
    'JSONCompactEachRow',
  )
  const [readonly, database, keys, olds] = JSON.parse(bytes.toString('utf8')) as StateRow
  return { readonly, database, settings: keys.map((key, index) => [key, olds[index] ?? '']) }
}

type StateRow = [readonly: string, database: string, names: string[], values: string[]]

const notYet: Connection = {
  tag: '',
  query: () => Promise.reject(new Error('the session has no connection yet')),
  release: () => undefined,
}

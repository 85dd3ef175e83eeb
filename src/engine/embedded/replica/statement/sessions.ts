import { quoteIdentifier, quoteString } from '../../../../lib/clickhouse/identifiers.ts'
import { EngineError } from '../../engine-error.ts'
import { type Connection, type Connections, plainProfile } from '../engine/connections.ts'
import { forgetSubstitutions, type Parameters, type SessionWish, setStatement } from '../http/parameters.ts'

/** Connections that belong to a client: what it sets and its temporary tables stay for its next request. */
export interface Sessions {
  enter(wish: SessionWish, forOneStatement: SessionChanges): Promise<SessionConnection>
  close(): void
}

/** What the request says counts for its statement only: settings, the database, and whether it may write. */
export type SessionChanges = Pick<Parameters, 'settings' | 'database' | 'isEngineReadOnly' | 'substitutions'>

export interface SessionConnection extends Pick<Connection, 'tag' | 'query'> {
  /** The session is as it was but for what the statement did; then others may use it. */
  leave(): Promise<void>
}

interface Session {
  owner: string
  connection: Connection
  isBusy: boolean
  timer: NodeJS.Timeout | undefined
}

export const maxSessions = 512
/** Of one user of one service. */
export const maxSessionsOfOwner = 128

export function createSessions(connections: Connections): Sessions {
  /** The ones used last are at the end. */
  const sessions = new Map<string, Session>()

  function drop(key: string, session: Session): void {
    clearTimeout(session.timer)
    sessions.delete(key)
    session.connection.release('dirty')
  }

  /** The session that was idle for longest makes room; where all are busy there is none. */
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
    // Its place is taken before we wait, so that two first requests do not make two of it.
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
          // Also takes away what a statement that failed may have left of its output.
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
 * Returns the statements that take the changes back; '' = there are none. The engine lets nobody lower `readonly`
 * by a value, but its check does not see DEFAULT, which is refused to clients: see `filter/rules.ts`.
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
  /** Those that are about to change, but for `readonly`. */
  settings: [string, string][]
}

async function readState(connection: Connection, changed: SessionChanges['settings']): Promise<SessionState> {
  const names = changed.map(([name]) => quoteString(name)).join(', ')
  // The table of all settings takes some 10 ms to read.
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

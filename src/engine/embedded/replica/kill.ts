import { replaceStringLiterals } from '../../../lib/clickhouse/identifiers.ts'
import { tagSetting } from './engine-config.ts'
import type { EngineResult } from './library.ts'
import { killAsync } from './rewrite.ts'
import type { RunningStatements } from './running.ts'

export interface KillOptions {
  sql: string
  bodyEnd: number
  statements: RunningStatements
  /** A statement of our own. */
  ask: (sql: string) => Promise<string>
  /** The client's statement. */
  run: (sql: string) => Promise<EngineResult>
}

/** Who asked for SYNC waits no longer than this for the statements to end. */
const syncMs = 30_000

/**
 * `KILL QUERY`: the engine gives statements ids of its own, so the ids that clients know are put in their place
 * in the statement, and back in its result.
 */
export async function runKill({ sql, bodyEnd, statements, ask, run }: KillOptions): Promise<EngineResult> {
  const clientIds = new Map<string, string>()
  const engineIds = new Map<string, string>()
  for (const line of (await ask(listing)).split('\n')) {
    const [engineId, tag] = line.split('\t')
    const statement = tag === undefined ? undefined : statements.byTag(tag)
    if (engineId === undefined || statement === undefined) continue
    clientIds.set(engineId, statement.queryId)
    engineIds.set(statement.queryId, engineId)
  }
  const { sql: asyncSql, wasSync } = killAsync(sql, bodyEnd)
  const result = await run(replaceStringLiterals(asyncSql, (value) => engineIds.get(value) ?? null))
  const killed = [...clientIds.keys()].filter((engineId) => result.bytes.includes(engineId))
  if (wasSync)
    await ended(killed.map((engineId) => statements.byQueryId(clientIds.get(engineId) ?? '')?.done))
  return { ...result, bytes: inTermsOfClients(result.bytes, killed, clientIds) }
}

const listing = `SELECT query_id, Settings['${tagSetting}'] FROM system.processes`

function inTermsOfClients(bytes: Buffer, engineIds: string[], clientIds: Map<string, string>): Buffer {
  // Names of another length would break a format that says how long they are.
  const isText = !bytes.includes(0)
  let text = bytes.toString('latin1')
  for (const engineId of engineIds) {
    const clientId = Buffer.from(clientIds.get(engineId) ?? '').toString('latin1')
    // Other characters are written in other ways, as the format has it.
    const isPlain = /^[\w.:@ -]*$/.test(clientId)
    if (isPlain && (isText || clientId.length === engineId.length)) text = text.replaceAll(engineId, clientId)
  }
  return engineIds.length === 0 ? bytes : Buffer.from(text, 'latin1')
}

async function ended(waits: (Promise<void> | undefined)[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, syncMs)
  })
  await Promise.race([Promise.all(waits), limit])
  clearTimeout(timer)
}

import { ClientError } from '../../../client/client-error.ts'
import type { CommandDefinition } from '../../command.ts'
import { CliError, exitCodes } from '../../failure.ts'
import type { Cell } from '../../layout.ts'
import { listAll } from '../../paging.ts'
import type { Session } from '../../session.ts'
import { stateCell } from '../../show/state.ts'

interface Status {
  url: string
  ready: boolean
  /** '' when the server does not tell. */
  version: string
  /** What confines processes that run SQL; absent = the server does not tell. */
  isolation?: string
  organization?: { id: string; name: string; tier: string }
  /** Services by state. */
  services?: Record<string, number>
  dashboards?: number
}

export const status: CommandDefinition = {
  name: 'status',
  summary: 'Is the server up? Its version, and what there is',
  details: 'Works without a key too, and then says only whether the server is up. Exit code 3: it is not.',
  examples: ['granary status', 'granary status --json'],
  async run(session) {
    const found = await ask(session)
    session.output.result(found, (form) =>
      form.block([
        ['server', found.url],
        ['state', found.ready ? stateCell('running', 'up') : stateCell('failed', 'up, but not ready')],
        ['version', found.version],
        ['isolation', found.isolation ?? ''],
        ['organization', found.organization ? `${found.organization.name} (${found.organization.tier})` : ''],
        ['services', found.services ? servicesCells(found.services) : ''],
        ['dashboards', found.dashboards === undefined ? '' : String(found.dashboards)],
      ]),
    )
    if (!found.ready) throw new CliError(exitCodes.unavailable, 'NOT_READY', 'the server is not ready')
  },
}

async function ask(session: Session): Promise<Status> {
  const { client, signal, settings } = session
  const { ready, isolation } = await readiness(session)
  const found: Status = { url: client.url, ready, version: await serverVersion(session) }
  if (isolation !== '') found.isolation = isolation
  if (!ready) return found
  if (settings.credentials.keySecret) {
    const { id, name, tier } = await client.call('organizations.get', { signal })
    found.organization = { id, name, tier }
    const states = (await listAll(session, 'services.list', {})).map(({ state }) => state)
    const counts = Object.entries(Object.groupBy(states, (state) => state))
    found.services = Object.fromEntries(counts.map(([state, all]) => [state, all.length]))
  }
  if (settings.credentials.dashboardToken) {
    found.dashboards = (await client.call('dashboards.list', { signal })).length
  }
  return found
}

/** An answer of any kind is an answer; only silence is a failure. */
async function readiness({ client, signal }: Session): Promise<{ ready: boolean; isolation: string }> {
  try {
    const { text } = await client.raw('GET', '/readyz', { signal })
    const { isolation } = JSON.parse(text) as { isolation?: unknown }
    return { ready: true, isolation: typeof isolation === 'string' ? isolation : '' }
  } catch (error) {
    if (error instanceof ClientError && error.status > 0) return { ready: false, isolation: '' }
    throw error
  }
}

/** The description of the API carries it. */
async function serverVersion({ client, signal }: Session): Promise<string> {
  try {
    const { text } = await client.raw('GET', '/v1', { signal })
    const version: unknown = (JSON.parse(text) as { info?: { version?: unknown } }).info?.version
    return typeof version === 'string' ? version : ''
  } catch {
    signal.throwIfAborted()
    return ''
  }
}

function servicesCells(services: Record<string, number>): Cell[] {
  const entries = Object.entries(services)
  if (entries.length === 0) return ['none']
  return entries.map(([state, count]) => stateCell(state, `${count} ${state}`))
}

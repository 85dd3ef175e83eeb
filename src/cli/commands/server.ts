import { Option } from 'commander'
import { ClientError } from '../../client/client-error.ts'
import { textOf } from '../../client/stream.ts'
import type { CommandDefinition } from '../command.ts'
import { CliError, exitCodes, usageError } from '../failure.ts'
import { parseJson, readJsonObject } from '../input.ts'
import type { Cell } from '../layout.ts'
import { listAll } from '../paging.ts'
import type { Session } from '../session.ts'
import { stateCell } from '../show/state.ts'

interface ApiFlags {
  accept?: string
  data?: string
  file?: string
}

export const api: CommandDefinition = {
  name: 'api',
  summary: 'Call any path of the server and print its answer',
  details:
    'The credential follows from the path: the key for /v1, the token for /api/v2. ' +
    'JSON answers are printed whole, with their envelope; lines and events are printed as they come.',
  operands: [
    ['<method>', 'GET, POST, PUT, PATCH or DELETE'],
    ['<path>', 'begins with /'],
  ],
  options: [
    new Option('-d, --data <json>', 'the body'),
    new Option('--accept <type>', 'the type that the answer should have, for example application/x-ndjson'),
    new Option('-f, --file <path>', 'the body from a file; - reads standard input').conflicts('data'),
  ],
  examples: [
    'granary api GET /v1/organizations',
    'granary api GET /healthz',
    'granary api POST /api/v2/dashboards --data \'{"name":"Traffic"}\'',
  ],
  async run(
    { client, output, io, signal },
    { method, path }: { method: string; path: string },
    { data, file, accept }: ApiFlags,
  ) {
    const name = method.toUpperCase()
    if (!/^(GET|POST|PUT|PATCH|DELETE)$/.test(name))
      throw usageError('the method is GET, POST, PUT, PATCH or DELETE')
    // Checked here because broken JSON is most likely a typo; the text is sent as it was written.
    if (data !== undefined) parseJson(new TextEncoder().encode(data), '--data')
    const body = file === undefined ? data : JSON.stringify(await readJsonObject(io, file))
    if (body !== undefined && name === 'GET') throw usageError('GET takes no body')
    const { headers, bytes, items } = await client.rawStream(name, path, {
      ...(body === undefined ? {} : { body }),
      ...(accept === undefined ? {} : { accept }),
      signal,
    })
    if (items) {
      for await (const item of items) output.piece(item, () => JSON.stringify(item))
      return
    }
    let text = ''
    for await (const part of textOf(bytes)) text += part
    const value = asJson(headers, text)
    output.result(value ?? text, () => (value === undefined ? text : JSON.stringify(value, null, 2)))
  },
}

/** undefined when the answer is not JSON. */
function asJson(headers: Headers, text: string): unknown {
  if (!/\bjson\b/.test(headers.get('content-type') ?? '')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface Status {
  url: string
  ready: boolean
  /** '' when the server does not report it. */
  version: string
  /** What confines the processes that run SQL; absent = the server does not report it. */
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

/** An answer with any status means that the server is up; only no answer is a failure. */
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

/** Reads the version from the description of the API; '' = unknown. */
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

export const version: CommandDefinition = {
  name: 'version',
  summary: 'Show the version of this program; "status" shows that of the server',
  examples: ['granary version'],
  async run({ output, io }) {
    output.result({ version: io.version }, () => `granary ${io.version}`)
  },
}

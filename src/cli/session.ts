import { type Client, createClient } from '../client/client.ts'
import { ClientError } from '../client/client-error.ts'
import { usageError } from './failure.ts'
import type { CliIo } from './io.ts'
import type { Output } from './output.ts'
import { type GlobalFlags, loadSettings } from './settings.ts'

/** What a command works with. */
export interface Session {
  client: Client
  output: Output
  io: CliIo
  signal: AbortSignal
  /** Whether a call to that API could be made at all. */
  hasKey: boolean
  hasToken: boolean
}

export async function openSession(io: CliIo, flags: GlobalFlags, output: Output): Promise<Session> {
  // The key of a flag or variable is hidden before anything can fail over it.
  for (const key of [flags.key, io.env['GRANARY_ADMIN_KEY']]) output.hide(key?.slice(key.indexOf(':') + 1))
  output.hide(flags.token)
  const settings = await loadSettings(io, flags)
  const { keySecret, dashboardToken } = settings.credentials
  output.hide(keySecret)
  output.hide(dashboardToken)
  const client = createClient({
    url: settings.url,
    credentials: settings.credentials,
    ...(settings.organizationId ? { organizationId: settings.organizationId } : {}),
    fetch: io.fetch,
    clock: io.clock,
    onWarning: output.warning,
    userAgent: `granary-cli/${io.version}`,
  })
  return {
    client: withHints(client, settings),
    output,
    io,
    signal: io.signal,
    hasKey: keySecret !== undefined,
    hasToken: dashboardToken !== undefined,
  }
}

/** The client knows that a credential is absent; where it could have come from, only the command line knows. */
function withHints(client: Client, { missingKey, missingToken }: { missingKey: string; missingToken: string }) {
  const explain = (error: unknown): never => {
    if (!(error instanceof ClientError) || error.code !== 'NO_CREDENTIAL') throw error
    const lookedFor = error.message.includes('token') ? missingToken : missingKey
    const hint = 'the server writes that file at its first start; --data-dir says where its data is'
    throw usageError(error.message, [lookedFor, hint])
  }
  return {
    ...client,
    call: ((...args: Parameters<Client['call']>) => client.call(...args).catch(explain)) as Client['call'],
    callPage: ((...args: Parameters<Client['callPage']>) =>
      client.callPage(...args).catch(explain)) as Client['callPage'],
    raw: (...args: Parameters<Client['raw']>) => client.raw(...args).catch(explain),
  }
}

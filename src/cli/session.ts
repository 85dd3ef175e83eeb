import { type Client, createClient } from '../client/client.ts'
import { ClientError } from '../client/client-error.ts'
import { usageError } from './failure.ts'
import type { CliIo } from './io.ts'
import type { Output } from './output.ts'
import { type GlobalFlags, loadSettings, type Settings } from './settings.ts'

/** What every command gets. */
export interface Session {
  client: Client
  output: Output
  io: CliIo
  signal: AbortSignal
  settings: Settings
}

export async function openSession(io: CliIo, flags: GlobalFlags, output: Output): Promise<Session> {
  // Hidden first, so that no error message can show them.
  for (const key of [flags.key, io.env['GRANARY_ADMIN_KEY']]) output.hide(key?.slice(key.indexOf(':') + 1))
  output.hide(flags.token)
  const settings = await loadSettings(io, flags)
  output.hide(settings.credentials.keySecret)
  output.hide(settings.credentials.dashboardToken)
  const client = createClient({
    url: settings.url,
    credentials: settings.credentials,
    ...(settings.organizationId ? { organizationId: settings.organizationId } : {}),
    fetch: io.fetch,
    clock: io.clock,
    // Whoever waits at a terminal can end it with Ctrl-C.
    timeoutMs: 120_000,
    onWarning: output.warning,
    userAgent: `granary-cli/${io.version}`,
  })
  return { client, output, io, signal: io.signal, settings }
}

/** Whether the API answered that there is no such thing. */
export const isMissing = (error: unknown): boolean =>
  error instanceof ClientError && error.code === 'NOT_FOUND'

/** The client only knows that a credential is missing; this adds where the CLI looked for it. */
export function explainCredential(error: unknown, { missingKey, missingToken }: Settings): unknown {
  if (!(error instanceof ClientError) || error.code !== 'NO_CREDENTIAL') return error
  const lookedFor = error.message.includes('token') ? missingToken : missingKey
  const hint = 'the server writes that file at its first start; --data-dir says where its data is'
  return usageError(error.message, [lookedFor, hint])
}

import { join, resolve } from 'node:path'
import type { Credentials } from '../client/request.ts'
import { parseStrictJson } from '../lib/strict-json.ts'
import { usageError } from './failure.ts'
import type { CliIo } from './io.ts'

/** The flags for the server's address and the credentials; every command takes them. */
export interface GlobalFlags {
  url?: string
  key?: string
  token?: string
  organization?: string
  dataDir?: string
}

/** The server's address and the credentials. */
export interface Settings {
  url: string
  /** The data directory of the server, if it is on this machine. */
  dataDir: string
  credentials: Credentials
  organizationId: string | undefined
  /** Where a missing key or token was looked for, for the error message. */
  missingKey: string
  missingToken: string
}

/** Each value separately: flag, then environment, then the server's credentials file in its data directory. */
export async function loadSettings(io: CliIo, flags: GlobalFlags): Promise<Settings> {
  const variable = (name: string) => io.env[name]?.trim() || undefined
  const directory = flags.dataDir ?? variable('GRANARY_DATA_DIR') ?? 'data'
  const dataDir = resolve(io.directory, directory)
  const path = join(dataDir, 'credentials.json')
  const { file, problem } = await readCredentialsFile(io, path)
  const key = splitKey(flags.key, '--key') ?? splitKey(variable('GRANARY_ADMIN_KEY'), 'GRANARY_ADMIN_KEY')
  const stored = file.keyId && file.keySecret ? { keyId: file.keyId, keySecret: file.keySecret } : {}
  const dashboardToken = flags.token ?? variable('GRANARY_DASHBOARD_TOKEN') ?? file.dashboardToken
  const lookedFor = (flag: string, name: string) =>
    `looked for ${flag}, the environment variable ${name}, and ${path} (${problem})`
  return {
    dataDir,
    url: flags.url ?? variable('GRANARY_URL') ?? addressOf(variable) ?? file.url ?? 'http://127.0.0.1:8080',
    credentials: { ...(key ?? stored), ...(dashboardToken ? { dashboardToken } : {}) },
    organizationId: flags.organization ?? variable('GRANARY_ORGANIZATION_ID') ?? file.organizationId,
    missingKey: lookedFor('--key <id:secret>', 'GRANARY_ADMIN_KEY'),
    missingToken: lookedFor('--token <token>', 'GRANARY_DASHBOARD_TOKEN'),
  }
}

/** The address that the server is configured to listen on; a wildcard address is reached locally. */
function addressOf(variable: (name: string) => string | undefined): string | undefined {
  const host = variable('GRANARY_HOST')
  const port = variable('GRANARY_PORT')
  if (host === undefined && port === undefined) return undefined
  const reachable = host === undefined || host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port ?? 8080}`
}

/** Never repeats the value in an error: half of it is a secret. */
function splitKey(value: string | undefined, where: string): Credentials | undefined {
  if (value === undefined) return undefined
  const colon = value.indexOf(':')
  if (colon <= 0 || colon === value.length - 1) {
    throw usageError(`${where} must have the form <key id>:<key secret>`)
  }
  return { keyId: value.slice(0, colon), keySecret: value.slice(colon + 1) }
}

const fields = ['url', 'organizationId', 'keyId', 'keySecret', 'dashboardToken'] as const
type CredentialsFile = { [K in (typeof fields)[number]]?: string }

/** An absent or broken file is not an error by itself: flags or environment may give every value. */
async function readCredentialsFile(
  io: CliIo,
  path: string,
): Promise<{ file: CredentialsFile; problem: string }> {
  const file: CredentialsFile = {}
  let content: Uint8Array
  try {
    content = await io.readFile(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return {
      file,
      problem: code === 'ENOENT' ? 'no such file' : `cannot be read: ${code ?? 'unknown error'}`,
    }
  }
  const parsed = parseStrictJson(content)
  if (!('value' in parsed) || typeof parsed.value !== 'object' || parsed.value === null) {
    return { file, problem: 'is not a JSON object' }
  }
  for (const field of fields) {
    const value = (parsed.value as Record<string, unknown>)[field]
    if (typeof value === 'string' && value !== '') file[field] = value
  }
  return { file, problem: 'holds none' }
}

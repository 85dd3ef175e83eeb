import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createNetServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Credentials } from '../../src/bootstrap/credentials.ts'
import { patienceMs } from './patience.ts'

/** Runs cleanup at the end, as a test's context does. */
export interface Ends {
  after(end: () => unknown): void
}

/** A Granary server that runs as users run it: its own process, reached over HTTP. */
export interface TestServer {
  url: string
  credentials: Credentials
  dataDir: string
  /** Everything it printed, to search for texts that must not be there. */
  output(): string
  /** A request to the management API with the admin key. */
  api(method: string, path: string, body?: unknown): Promise<Answer>
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>
  /** SIGKILL. The data stays. */
  kill(): Promise<void>
  /** Starts again on the same data, environment and port. */
  restart(): Promise<void>
}

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any
}

export interface TestServerOptions {
  env?: Record<string, string>
  dataDir?: string
}

export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'granary-test-'))
  const port = await freePort()
  // Most tests are about the control plane; those about warehouses ask for the engine.
  const defaults = { GRANARY_DATA_DIR: dataDir, GRANARY_PORT: String(port), GRANARY_ENGINE: 'none' }
  const patient = { GRANARY_PIPE_CHECK_SECONDS: String(patienceMs / 1000) }
  const env = { ...process.env, ...defaults, ...patient, GRANARY_CONSOLE: 'off', ...options.env }
  let output = ''
  let child: ChildProcess | undefined
  const url = `http://127.0.0.1:${port}`

  // The server must not outlive the test process.
  process.once('exit', () => child?.kill('SIGKILL'))

  async function start(): Promise<void> {
    const started = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    child = started
    for (const stream of [started.stdout, started.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        output += `${line}\n`
      })
    }
    // Polls: the server may be told to log nothing, so its output cannot be waited for.
    while (!(await isReady())) {
      if (started.exitCode !== null || started.signalCode !== null)
        throw new Error(`the server ended:\n${output}`)
      await setTimeout(10)
    }
  }

  async function isReady(): Promise<boolean> {
    const answer = await fetch(`${url}/readyz`).catch(() => null)
    await answer?.body?.cancel()
    return answer?.status === 200
  }

  async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
    const ended = once(child, 'exit')
    child.kill(signal)
    const [code] = (await ended) as [number | null]
    return code
  }

  await start()
  const credentials = readCredentials(dataDir, env)
  return {
    url,
    credentials,
    dataDir,
    output: () => output,
    api: (method, path, body) => request(url, basic(credentials), method, path, body),
    async stop() {
      const code = await end('SIGTERM')
      if (!options.dataDir) rmSync(dataDir, { recursive: true, force: true })
      return code
    },
    async kill() {
      await end('SIGKILL')
    },
    restart: start,
  }
}

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

export const basic = ({ keyId, keySecret }: Pick<Credentials, 'keyId' | 'keySecret'>): string =>
  `Basic ${Buffer.from(`${keyId}:${keySecret}`).toString('base64')}`

/** One JSON request; an empty `authorization` sends no header. */
export async function request(
  url: string,
  authorization: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const headers: Record<string, string> = {}
  if (authorization !== '') headers['authorization'] = authorization
  if (body !== undefined) headers['content-type'] = 'application/json'
  const payload = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
  const response = await fetch(url + path, { method, headers, ...payload })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}

let slotsTaken = 0

/** In the form of GRANARY_SERVICE_PORTS. Below the ephemeral ports, which other connections may use. */
export async function freePorts(count: number): Promise<string> {
  for (;;) {
    // Test files run in parallel processes, so each starts at a slot of its own pid.
    const slot = (process.pid + slotsTaken++) % 200
    const first = 10_000 + slot * 100
    const ports = Array.from({ length: count }, (_, index) => first + index)
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return `${first}-${first + count - 1}`
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createNetServer().listen(port, '127.0.0.1')
  const isTaken = await once(probe, 'listening').then(
    () => false,
    () => true,
  )
  if (isTaken) return false
  probe.close()
  await once(probe, 'close')
  return true
}

export async function freePort(): Promise<number> {
  const probe = createNetServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  await once(probe, 'close')
  return port
}

function readCredentials(dataDir: string, env: Record<string, string | undefined>): Credentials {
  const [keyId, keySecret] = (env['GRANARY_ADMIN_KEY'] ?? '').split(':')
  if (keyId && keySecret) {
    return {
      url: '',
      organizationId: env['GRANARY_ORGANIZATION_ID'] ?? '',
      keyId,
      keySecret,
      dashboardToken: env['GRANARY_DASHBOARD_TOKEN'] ?? '',
    }
  }
  return JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) as Credentials
}

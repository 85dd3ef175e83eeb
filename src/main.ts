import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Config, ConfigError, describeOptions, loadConfig } from './config/load.ts'
import { createStopSignals, type StopSignals } from './lib/stop-signals.ts'
import { createServer, type Server } from './server.ts'
import { createLog } from './telemetry/log.ts'
import { createLogFile } from './telemetry/log-file.ts'

const version = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version

const usage = `Granary ${version}: a managed data warehouse that you run yourself.

Usage: npm start            serves both APIs
       npm start -- --help  shows this

Environment:
${describeOptions()}
`

const exitCodes = { ok: 0, failed: 1, usage: 2 } as const

async function main(): Promise<void> {
  const [flag] = process.argv.slice(2)
  if (flag === '--help' || flag === '-h') return void process.stdout.write(usage)
  if (flag === '--version') return void process.stdout.write(`${version}\n`)
  if (flag !== undefined) throw new ConfigError([`unknown argument ${flag}; see --help`])

  // Only the user who runs this process can read the files that it and its children write.
  process.umask(0o077)
  const config = loadConfig(process.env)
  const file = createLogFile(join(config.dataDir, 'granary.log'))
  const log = createLog({ level: config.logLevel, pretty: process.stdout.isTTY === true, file })
  process.exit(await serve(config, log, stopSignals(log)))
}

/** Resolves with the exit code once everything that was started has ended. */
async function serve(config: Config, log: Logger, { stop, hurry }: StopSignals): Promise<number> {
  const server = await createServer(config, { log, version })
  try {
    if (!stop.aborted) await start(server, config, log)
    if (!stop.aborted) await once(stop, 'abort')
  } finally {
    await server.stop(hurry)
  }
  return hurry.aborted ? exitCodes.failed : exitCodes.ok
}

async function start(server: Server, config: Config, log: Logger): Promise<void> {
  const address = await server.start()
  log.info(
    { version, dataDir: config.dataDir, store: config.databaseUrl ? 'postgres' : 'sqlite' },
    `Granary listens on ${address}`,
  )
  if (server.newCredentials) process.stdout.write(welcome(address, server.newCredentials, config.dataDir))
}

/** Listens before anything is started, so that a signal leaves no process behind. */
function stopSignals(log: Logger): StopSignals {
  const signals = createStopSignals(() => performance.now())
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => signals.received(name))
  signals.stop.addEventListener('abort', () => log.info({ signal: signals.stop.reason }, 'stopping'))
  signals.hurry.addEventListener('abort', () =>
    log.warn({ signal: signals.hurry.reason }, 'stopping at once'),
  )
  // A closed terminal makes writes fail, which must not interrupt the shutdown.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  return signals
}

type NewCredentials = { organizationId: string; keyId: string; keySecret: string; dashboardToken: string }

function welcome(address: string, credentials: NewCredentials, dataDir: string): string {
  return `
First start: these credentials are shown once. They are also in ${dataDir}/credentials.json (only you can read it).

  organization     ${credentials.organizationId}
  key id           ${credentials.keyId}
  key secret       ${credentials.keySecret}
  dashboard token  ${credentials.dashboardToken}

Console:       ${address}
API reference: ${address}/docs

`
}

main().catch((error: unknown) => {
  const isUsage = error instanceof ConfigError
  const lines = isUsage ? error.problems : causes(error)
  for (const line of lines) process.stderr.write(`granary: ${line}\n`)
  process.exit(isUsage ? exitCodes.usage : exitCodes.failed)
})

/** The message and its causes, without the stack: this is for a person at a terminal. */
function causes(error: unknown): string[] {
  const lines: string[] = []
  for (let current = error; current instanceof Error; current = current.cause)
    lines.push(current.message || current.name)
  return lines.length > 0 ? lines : [String(error)]
}

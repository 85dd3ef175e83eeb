import { readFileSync } from 'node:fs'
import { ConfigError, describeOptions, loadConfig } from './config/load.ts'
import { createServer } from './server.ts'
import { createLog } from './telemetry/log.ts'

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

  const config = loadConfig(process.env)
  const log = createLog({ level: config.logLevel, pretty: process.stdout.isTTY === true })
  const server = await createServer(config, { log, version })
  const address = await server.start()
  log.info(
    { version, dataDir: config.dataDir, store: config.databaseUrl ? 'postgres' : 'sqlite' },
    `Granary listens on ${address}`,
  )
  if (server.newCredentials) process.stdout.write(welcome(address, server.newCredentials, config.dataDir))

  let stopping = false
  const stop = (signal: string) => {
    // A second signal is a person who does not want to wait.
    if (stopping) process.exit(exitCodes.failed)
    stopping = true
    log.info({ signal }, 'stopping')
    server.stop().then(
      () => process.exit(exitCodes.ok),
      () => process.exit(exitCodes.failed),
    )
  }
  process.on('SIGTERM', () => stop('SIGTERM'))
  process.on('SIGINT', () => stop('SIGINT'))
}

type NewCredentials = { organizationId: string; keyId: string; keySecret: string; dashboardToken: string }

function welcome(address: string, credentials: NewCredentials, dataDir: string): string {
  return `
First start: these credentials are shown once. They are also in ${dataDir}/credentials.json (only you can read it).

  organization     ${credentials.organizationId}
  key id           ${credentials.keyId}
  key secret       ${credentials.keySecret}
  dashboard token  ${credentials.dashboardToken}

API reference: ${address}/docs

`
}

main().catch((error: unknown) => {
  const isUsage = error instanceof ConfigError
  const lines = isUsage ? error.problems : causes(error)
  for (const line of lines) process.stderr.write(`granary: ${line}\n`)
  process.exit(isUsage ? exitCodes.usage : exitCodes.failed)
})

/** The message and what caused it, without the stack: this is for a person at a terminal. */
function causes(error: unknown): string[] {
  const lines: string[] = []
  for (let current = error; current instanceof Error; current = current.cause)
    lines.push(current.message || current.name)
  return lines.length > 0 ? lines : [String(error)]
}

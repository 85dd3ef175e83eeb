import { type Logger, pino } from 'pino'
import type { LogFile } from './log-file.ts'

/**
 * The log: one JSON object per line, or plain lines on a terminal. It contains no secrets: bodies, queries and
 * headers are never logged, errors only with the fields named below, and any field whose name suggests a secret
 * is redacted.
 */
export function createLog(options: {
  level: string
  pretty: boolean
  /** Gets every line as JSON, too. */
  file?: LogFile
}): Logger {
  const base = {
    level: options.level,
    base: {},
    formatters: { log: withoutSecrets },
    serializers: { err: describeError },
  }
  const { file } = options
  const both = (target: { write(line: string): unknown }) =>
    file
      ? {
          write(line: string) {
            target.write(line)
            file.write(line)
          },
        }
      : target
  if (options.pretty) return pino(base, both(plainLines))
  const lines = pino.destination({ fd: 1, sync: true })
  // The reader of the log has gone, which must not end the server.
  lines.on('error', () => undefined)
  return pino(base, both(lines))
}

const secretNames = new Set([
  'password',
  'passwordHash',
  'secret',
  'secretKey',
  'secretHash',
  'secrets',
  'keySecret',
  'token',
  'dashboardToken',
  'authorization',
  'credentials',
  'accessKey',
  'connectionString',
  'serviceAccountKey',
  'privateKey',
  'databaseUrl',
])

/** Done here, because pino's own redaction costs ten times as much as writing the line. */
function withoutSecrets(line: Record<string, unknown>): Record<string, unknown> {
  for (const name in line) {
    if (secretNames.has(name) || isPlainObject(line[name])) return cutOut(line)
  }
  return line
}

function cutOut(line: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(line).map(([name, value]) => {
      if (secretNames.has(name)) return [name, '[redacted]']
      return [name, isPlainObject(value) ? cutOut(value) : value]
    }),
  )
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

/** Errors of libraries carry queries, parameters and rows, so only the fields named here are logged. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause } = error
  const { code } = error as { code?: unknown }
  return {
    name,
    message,
    ...(typeof code === 'string' ? { code } : {}),
    stack,
    ...(cause === undefined ? {} : { cause: describeError(cause) }),
  }
}

const levels: Record<number, string> = { 20: 'debug', 30: 'info', 40: 'WARN', 50: 'ERROR' }

/** For a terminal: time, level, message, and the other fields as they are. */
const plainLines = {
  write(line: string): void {
    const { level, time, msg, ...rest } = JSON.parse(line) as { level: number; time: number; msg: string }
    const detail = Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : ''
    process.stdout.write(`${new Date(time).toISOString()} ${levels[level] ?? level} ${msg}${detail}\n`)
  },
}

import { type Logger, pino } from 'pino'

/**
 * The log: one JSON object a line, or plain lines where a person watches. Nothing in it is a secret: bodies,
 * queries and headers are never logged, and should one come along in an error, these names are cut out.
 */
export function createLog(options: { level: string; pretty: boolean }): Logger {
  const base = {
    level: options.level,
    base: {},
    redact: { paths: secretPaths, censor: '[redacted]' },
    serializers: { err: pino.stdSerializers.errWithCause },
  }
  return options.pretty ? pino(base, plainLines) : pino(base, pino.destination({ fd: 1, sync: true }))
}

const secretNames = [
  'password',
  'secretKey',
  'keySecret',
  'token',
  'authorization',
  'credentials',
  'accessKey',
  'connectionString',
  'serviceAccountKey',
  'privateKey',
  'connectionString',
  'parameters',
]
const secretPaths = [...new Set(secretNames)].flatMap((name) => [name, `*.${name}`, `*.*.${name}`])

const levels: Record<number, string> = { 20: 'debug', 30: 'info', 40: 'WARN', 50: 'ERROR' }

/** For a terminal: time, level, message, and the rest as it is. */
const plainLines = {
  write(line: string): void {
    const { level, time, msg, ...rest } = JSON.parse(line) as { level: number; time: number; msg: string }
    const detail = Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : ''
    process.stdout.write(`${new Date(time).toISOString()} ${levels[level] ?? level} ${msg}${detail}\n`)
  },
}

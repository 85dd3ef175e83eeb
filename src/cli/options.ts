import { InvalidArgumentError, Option } from 'commander'
import { type HistoryRange, historyRanges } from '../domain/history/points.ts'
import { usageError } from './failure.ts'
import { parseDuration } from './units.ts'

/** Parts that several commands share. Ranges are not checked here: the API checks them and names the field. */
export const numberOption = (flags: string, description: string): Option =>
  new Option(flags, description).argParser((text) => {
    const value = Number(text)
    if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('it must be a number.')
    return value
  })

export const repeatedOption = (flags: string, description: string): Option =>
  new Option(flags, `${description} (repeatable)`).argParser((text, before: string[] | undefined) => [
    ...(before ?? []),
    text,
  ])

export const fileOption = (description: string): Option =>
  new Option('-f, --file <path>', `${description}; - reads standard input`)
export const yesOption = new Option('-y, --yes', 'do not ask for confirmation')
export const waitOption = new Option('--wait', 'wait until the state has settled')
export const timeoutOption = new Option('--timeout <time>', 'how long to wait: 90, 90s, 5m, 1h')
  .argParser(parseDuration)
  .default(300_000, '5m')
export const limitOption = numberOption('--limit <n>', 'at most so many; default: all').argParser((text) => {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError('it must be a whole number from 1.')
  return value
})

export interface WaitOptions {
  wait?: true
  /** Milliseconds. */
  timeout: number
}

export const ipOption = repeatedOption('--ip <source[=description]>', 'address or range that may connect')
export const tagOption = repeatedOption('--tag <key=value>', 'a label')

/** Memory, replicas and idling; the same for creation and scaling. */
export const scalingOptions = [
  numberOption('--min-memory <gb>', 'lower bound of automatic scaling, per replica'),
  numberOption('--max-memory <gb>', 'upper bound of automatic scaling, per replica'),
  numberOption('--replicas <n>', 'number of replicas'),
  new Option('--idle', 'scale down to zero when idle'),
  new Option('--no-idle', 'never scale down to zero'),
  numberOption('--idle-timeout <minutes>', 'shortest idle time before it scales down'),
]

export const importantOption = new Option('--important', 'only the most important ones')
export const metricsQuery = ({ important }: { important?: true }) =>
  important ? { filtered_metrics: true } : {}

export const rangeOption = new Option('--range <range>', 'how far back')
  .choices(Object.keys(historyRanges))
  .default('24h')
export const historyQuery = ({ range }: { range: HistoryRange }) => ({ range })

/** For the first service of a warehouse. */
export const durableInsertsOptions = [
  new Option('--durable-inserts', 'acknowledge an insert when it is on the disk; the default'),
  new Option('--no-durable-inserts', 'acknowledge an insert before it is on the disk'),
]

export interface ScalingFlags {
  minMemory?: number
  maxMemory?: number
  replicas?: number
  idle?: boolean
  idleTimeout?: number
}

export const scalingBody = (flags: ScalingFlags) =>
  defined({
    minReplicaMemoryGb: flags.minMemory,
    maxReplicaMemoryGb: flags.maxMemory,
    numReplicas: flags.replicas,
    idleScaling: flags.idle,
    idleTimeoutMinutes: flags.idleTimeout,
  })

/** `10.0.0.0/8=office` → source and description. */
export const parseIps = (texts: readonly string[] | undefined) =>
  texts?.map((text) => {
    const [source, description] = splitOnce(text)
    return description === undefined ? { source } : { source, description }
  })

export const parseTags = (texts: readonly string[] | undefined) =>
  texts?.map((text) => {
    const [key, value] = splitOnce(text)
    return value === undefined ? { key } : { key, value }
  })

export function splitOnce(text: string): [before: string, after: string | undefined] {
  const at = text.indexOf('=')
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

/** Without the fields that are undefined: an option that was not given is not sent. */
export function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}

/** Returns the change; throws a usage error if it is empty. */
export function someChange<T extends object>(change: T, message = 'say what to change: see --help'): T {
  if (Object.keys(change).length === 0) throw usageError(message)
  return change
}

import { join } from 'node:path'
import { Option } from 'commander'
import type { CommandDefinition } from '../command.ts'
import { refusedError, usageError } from '../failure.ts'
import {
  createLineReader,
  type LogLevel,
  type LogLine,
  logLevels,
  logLineText,
  parseLogLine,
} from '../log-lines.ts'
import { serviceId } from '../operands.ts'
import { numberOption } from '../options.ts'
import type { Session } from '../session.ts'

interface Flags {
  follow?: true
  lines: number
  level?: LogLevel
  service?: string
  pipe?: string
  request?: string
}

const pauseMs = 500

export const logs: CommandDefinition = {
  name: 'logs',
  summary: 'Show the log of the server on this machine',
  details:
    'Reads granary.log in the data directory of the server, which need not run. With --json the lines are as the server wrote them.',
  options: [
    new Option('--follow', 'go on with what is added, until interrupted'),
    numberOption('--lines <n>', 'how many of the newest lines').default(100),
    new Option('--level <level>', 'this one and those above').choices(Object.keys(logLevels)),
    new Option('--service <service>', 'what is about a service: its id, or its name'),
    new Option('--pipe <id>', 'what is about a pipe'),
    new Option('--request <id>', 'what is about a request'),
  ],
  examples: [
    'granary logs --follow',
    'granary logs --level warn --service analytics',
    'granary logs --request <id>',
  ],
  async run(session, _: object, flags: Flags) {
    const { io, settings, signal } = session
    if (!Number.isInteger(flags.lines) || flags.lines < 0) throw usageError('--lines is a whole number')
    const isWanted = await filterOf(session, flags)
    const path = join(settings.dataDir, 'granary.log')
    if ((await io.readPart(path, 0, 0)) === null)
      throw refusedError('NOT_FOUND', `there is no log at ${path}`, [
        '--data-dir says where the data of the server is',
      ])
    const newest: LogLine[] = []
    const reader = createLineReader(io, path)
    for (const each of [createLineReader(io, `${path}.1`), reader])
      for await (const text of each.more()) {
        const line = parseLogLine(text)
        if (!line || !isWanted(line, text)) continue
        newest.push(line)
        if (newest.length > 2 * flags.lines) newest.splice(0, newest.length - flags.lines)
      }
    for (const line of flags.lines === 0 ? [] : newest.slice(-flags.lines)) show(session, line)
    while (flags.follow) {
      await io.clock.sleep(pauseMs, signal)
      signal.throwIfAborted()
      for await (const text of reader.more()) {
        const line = parseLogLine(text)
        if (line && isWanted(line, text)) show(session, line)
      }
    }
  },
}

const show = ({ output }: Session, line: LogLine): void => output.piece(line, () => logLineText(line))

/** Lines name what they are about in fields of many names, and requests in their paths: an id anywhere is enough. */
async function filterOf(session: Session, { level = 'debug', service, pipe, request }: Flags) {
  const ids = [service === undefined ? undefined : await serviceId(session, service), pipe, request]
  return (line: LogLine, text: string): boolean =>
    line.level >= logLevels[level] && ids.every((id) => id === undefined || text.includes(id))
}

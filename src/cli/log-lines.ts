import type { CliIo } from './io.ts'
import { printable } from './text.ts'

export const logLevels = { debug: 20, info: 30, warn: 40, error: 50 } as const
export type LogLevel = keyof typeof logLevels

/** One line of the server's log; a line that is no JSON object has only a message. */
export interface LogLine {
  level: number
  /** Milliseconds since 1970. */
  time: number
  msg: string
  [field: string]: unknown
}

export function parseLogLine(text: string): LogLine | null {
  try {
    const line = JSON.parse(text) as Partial<LogLine> | null
    if (typeof line?.level !== 'number' || typeof line.time !== 'number') return null
    return { ...line, level: line.level, time: line.time, msg: String(line.msg ?? '') }
  } catch {
    return null
  }
}

/** Time, level, message, and the other fields as they are. */
export function logLineText({ level, time, msg, ...rest }: LogLine): string {
  const name = Object.entries(logLevels).find(([, value]) => value === level)?.[0] ?? String(level)
  const detail = Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : ''
  return printable(`${new Date(time).toISOString()} ${name.padEnd(5)} ${msg}${detail}`)
}

const partBytes = 256 * 1024

/** The lines of a file from its begin, then those that are added, whenever it is asked again. */
export function createLineReader(io: Pick<CliIo, 'readPart'>, path: string) {
  let offset = 0
  let file = ''
  let rest = new Uint8Array()
  const decoder = new TextDecoder()
  return {
    /** Whole lines that were not read yet. A file that was replaced is read from its begin. */
    async *more(): AsyncGenerator<string> {
      for (;;) {
        const part = await io.readPart(path, offset, partBytes)
        if (part === null) return
        if (part.file !== file || part.size < offset) {
          const isNew = file !== ''
          file = part.file
          offset = 0
          rest = new Uint8Array()
          if (isNew) continue
        }
        if (part.bytes.byteLength === 0) return
        offset += part.bytes.byteLength
        const all = Buffer.concat([rest, part.bytes])
        const end = all.lastIndexOf(0x0a)
        rest = Uint8Array.from(all.subarray(end + 1))
        if (end >= 0) yield* decoder.decode(all.subarray(0, end)).split('\n')
      }
    },
  }
}

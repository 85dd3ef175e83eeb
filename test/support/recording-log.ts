import type { Log } from '../../src/lib/running.ts'

export interface LogLine {
  level: keyof Log
  message: string
  detail: object
}

export interface RecordingLog extends Log {
  lines: LogLine[]
  /** How many lines of this level contain the text. */
  count(level: keyof Log, text: string): number
}

export function createRecordingLog(): RecordingLog {
  const lines: LogLine[] = []
  const at = (level: keyof Log) => (detail: object, message: string) => {
    lines.push({ level, message, detail })
  }
  return {
    lines,
    count: (level, text) =>
      lines.filter((line) => line.level === level && line.message.includes(text)).length,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  }
}

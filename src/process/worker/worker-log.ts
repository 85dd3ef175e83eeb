import type { Log } from '../../lib/running.ts'

/** Writes JSON lines to the worker's log file; the supervisor reads from its end why a worker failed. */
export function createWorkerLog(): Log {
  const write = (level: string) => (detail: object, message: string) => {
    process.stdout.write(
      `${JSON.stringify({ level, time: new Date().toISOString(), ...detail, msg: message })}\n`,
    )
  }
  return { debug: () => undefined, info: write('info'), warn: write('warn'), error: write('error') }
}

import type { Clock } from '../lib/clock.ts'

/** The process as the command line sees it; `main.ts` makes it from the real one, tests make their own. */
export interface CliIo {
  /** Without the interpreter and the script. */
  argv: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  /** Relative paths start here. */
  directory: string
  stdout: CliStream
  stderr: CliStream
  /** A question can be asked: somebody sits at both ends. */
  isInteractive: boolean
  /** All of standard input. */
  readStdin(): Promise<Uint8Array>
  readFile(path: string): Promise<Uint8Array>
  /** One line from the person; '' when they end the input. */
  ask(question: string): Promise<string>
  /** Aborts on Ctrl-C. */
  signal: AbortSignal
  clock: Clock
  fetch: typeof globalThis.fetch
  /** Of this program. */
  version: string
}

export interface CliStream {
  write(text: string): void
  isTTY: boolean
}

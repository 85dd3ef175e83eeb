import type { Clock } from '../lib/clock.ts'

/** The process as the CLI sees it; `main.ts` makes it from the real process, tests make their own. */
export interface CliIo {
  /** Without the interpreter and the script. */
  argv: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  /** Relative paths start here. */
  directory: string
  stdout: CliStream
  stderr: CliStream
  /** Standard input and output are both terminals, so a question can be asked. */
  isInteractive: boolean
  /** All of standard input. */
  readStdin(): Promise<Uint8Array>
  readFile(path: string): Promise<Uint8Array>
  /** One line from the user; '' when the input ends. */
  ask(question: string): Promise<string>
  /** Aborts on Ctrl-C. */
  signal: AbortSignal
  clock: Clock
  fetch: typeof globalThis.fetch
  /** The version of this program. */
  version: string
}

export interface CliStream {
  write(text: string): void
  /** Bytes as they are; resolves when the reader has room for more. */
  writeBytes(bytes: Uint8Array): Promise<void>
  isTTY: boolean
}

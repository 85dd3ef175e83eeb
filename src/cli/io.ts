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
  /** A prompt with these lines to go back to, oldest first. */
  openPrompt(history: readonly string[]): CliPrompt
  /** Adds to a file that only its owner can read, in a folder of the same kind; `replaceBy` first empties it. */
  appendPrivately(
    path: string,
    change: { directory: string; text: string; replaceBy: string | null },
  ): Promise<void>
  /** Part of a file; null = there is no such file. `file` tells whether it is still the same one. */
  readPart(
    path: string,
    from: number,
    atMost: number,
  ): Promise<{ bytes: Uint8Array; size: number; file: string } | null>
  /** Aborts on Ctrl-C. */
  signal: AbortSignal
  clock: Clock
  fetch: typeof globalThis.fetch
  /** The version of this program. */
  version: string
}

export interface CliPrompt {
  /** A line; `interrupted` after Ctrl-C, null when the input has ended. */
  read(prompt: string): Promise<string | null>
  /** Ctrl-C aborts the work. Resolves with false if it did, or if the input has ended meanwhile. */
  during(work: (signal: AbortSignal) => Promise<void>): Promise<boolean>
  close(): void
}

export interface CliStream {
  write(text: string): void
  /** Bytes as they are; resolves when the reader has room for more. */
  writeBytes(bytes: Uint8Array): Promise<void>
  isTTY: boolean
}

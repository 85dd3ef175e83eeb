import { failureLines, failureObject } from './failure.ts'
import type { CliIo } from './io.ts'
import { block, type Cell, table } from './layout.ts'
import { coloured, type Paint, plain, printable } from './text.ts'

/** Where results, progress, warnings and errors go. */
export interface Output {
  /** Whether results are JSON. */
  readonly isJson: boolean
  /** The result: as the API gave it with `--json`, otherwise formatted for people. */
  result(value: unknown, forPeople: (form: Form) => string): void
  /** One of many results that are shown as they come: with `--json` one line each, otherwise formatted for people. */
  piece(value: unknown, forPeople: (form: Form) => string): void
  /** Part of a result that is text, as it comes. */
  text(part: string): void
  /** Part of a result that is a file, byte by byte; resolves when it may go on. */
  bytes(part: Uint8Array): Promise<void>
  /** Progress on stderr; silent with `--quiet`. */
  progress(text: string): void
  /**
   * Progress that is replaced: on a terminal, one line that the next output overwrites. Returns false without a
   * terminal, so that the caller can report progress in another way, less often.
   */
  live(text: string): boolean
  /** Erases the line of `live`, if it is still there. */
  endLive(): void
  warning(text: string): void
  failure(error: unknown): void
  /** From now on this text is masked in everything on stderr. */
  hide(secret: string | undefined): void
}

/** The functions that lay out a result. */
export interface Form {
  table(headings: readonly string[], rows: readonly (readonly Cell[])[]): string
  block(pairs: readonly (readonly [string, Cell | readonly Cell[]])[]): string
  nowMs: number
}

/** With `--json`, every line on stderr is a JSON object too: `{progress}`, `{warning}` or `{error}`. */
export function createOutput(io: CliIo, { json, quiet }: { json: boolean; quiet: boolean }): Output {
  const paint = paintFor(io, io.stdout.isTTY)
  const paintError = paintFor(io, io.stderr.isTTY)
  const secrets = new Set<string>()

  const isLive = io.stderr.isTTY && io.env['TERM'] !== 'dumb' && !json
  let liveLine = false

  const blot = (text: string) => {
    let safe = text
    for (const secret of secrets) safe = safe.replaceAll(secret, '***')
    return safe
  }
  const endLive = () => {
    if (liveLine) io.stderr.write(eraseLine)
    liveLine = false
  }
  const say = (text: string) => {
    endLive()
    io.stderr.write(`${blot(text)}\n`)
  }

  const show = (value: unknown, forPeople: (form: Form) => string, indent: number) => {
    endLive()
    if (json) return io.stdout.write(`${JSON.stringify(value, null, indent)}\n`)
    const text = forPeople({
      table: (headings, rows) => table(headings, rows, paint),
      block: (pairs) => block(pairs, paint),
      nowMs: io.clock.now(),
    })
    if (text !== '') io.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
  }

  return {
    isJson: json,
    endLive,
    result: (value, forPeople) => show(value, forPeople, 2),
    piece: (value, forPeople) => show(value, forPeople, 0),
    text(part) {
      endLive()
      io.stdout.write(part)
    },
    async bytes(part) {
      endLive()
      await io.stdout.writeBytes(part)
    },
    progress(text) {
      if (!quiet) say(json ? JSON.stringify({ progress: text }) : printable(text))
    },
    live(text) {
      if (quiet) return true
      if (!isLive) return false
      endLive()
      // A longer line would wrap, and only its last row could be replaced.
      io.stderr.write(blot(printable(text)).slice(0, 79))
      liveLine = true
      return true
    },
    warning(text) {
      if (!quiet) say(json ? JSON.stringify({ warning: text }) : `warning: ${printable(text)}`)
    },
    failure(error) {
      if (json) return say(JSON.stringify(failureObject(error)))
      const [first = '', ...rest] = failureLines(error)
      say([first.replace(/^error:/, paintError('red', 'error:')), ...rest].join('\n'))
    },
    hide(secret) {
      // Shorter values would mask parts of ordinary messages, and are no secrets.
      if (secret !== undefined && secret.length >= 8) secrets.add(secret)
    },
  }
}

/** Moves the cursor to the start of the line and clears the line. */
const eraseLine = '\r\u001b[2K'

/** See no-color.org: any NO_COLOR except the empty one turns colours off. */
function paintFor({ env }: CliIo, isTTY: boolean): Paint {
  return isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb' ? coloured : plain
}

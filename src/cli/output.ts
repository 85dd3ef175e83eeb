import { failureLines, failureObject } from './failure.ts'
import type { CliIo } from './io.ts'
import { block, type Cell, table } from './layout.ts'
import { coloured, type Paint, plain, printable } from './text.ts'

/** Where results and everything beside them go. */
export interface Output {
  /** The result as the API gave it with `--json`, else its form for people. */
  result(value: unknown, forPeople: (form: Form) => string): void
  /** Beside the result: what happens meanwhile. Not with `--quiet`. */
  progress(text: string): void
  warning(text: string): void
  failure(error: unknown): void
  /** From now on this text is blotted out of everything on stderr. */
  hide(secret: string | undefined): void
}

/** The means to lay out a result. */
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

  const say = (text: string) => {
    let safe = text
    for (const secret of secrets) safe = safe.replaceAll(secret, '***')
    io.stderr.write(`${safe}\n`)
  }

  return {
    result(value, forPeople) {
      if (json) return io.stdout.write(`${JSON.stringify(value, null, 2)}\n`)
      const text = forPeople({
        table: (headings, rows) => table(headings, rows, paint),
        block: (pairs) => block(pairs, paint),
        nowMs: io.clock.now(),
      })
      if (text !== '') io.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
    },
    progress(text) {
      if (!quiet) say(json ? JSON.stringify({ progress: text }) : printable(text))
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
      // Shorter ones would blot out half of every message, and are no secrets.
      if (secret !== undefined && secret.length >= 8) secrets.add(secret)
    },
  }
}

/** See no-color.org: any value but the empty one asks for none. */
function paintFor({ env }: CliIo, isTTY: boolean): Paint {
  return isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb' ? coloured : plain
}

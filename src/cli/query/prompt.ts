import type { CliIo } from '../io.ts'
import { openHistory } from './history-file.ts'
import { isBlank, splitStatements } from './split.ts'

const first = 'granary> '
const further = '      -> '
const help =
  'A statement ends with ";" and may have several lines. Ctrl-C cancels it, "exit" or Ctrl-D leaves.'

/**
 * Reads statements from a terminal and runs each as soon as it is complete, until the user leaves. A statement that
 * fails is told by `run`, and does not end the prompt.
 */
export async function runPrompt(
  io: CliIo,
  say: (text: string) => void,
  run: (statement: string, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const history = await openHistory(io)
  const terminal = io.openPrompt(history.lines)
  say(help)
  try {
    for (let text = ''; ; ) {
      const line = await terminal.read(isBlank(text) ? first : further)
      if (line === null) return
      if (line === 'interrupted') {
        text = ''
        continue
      }
      if (isBlank(text) && /^\s*(?:exit|quit|\\q)\s*;?\s*$/i.test(line)) return
      await history.add(line)
      const { statements, rest } = splitStatements(`${text}${line}\n`)
      text = isBlank(rest) ? '' : rest
      for (const statement of statements) {
        const isDone = await terminal.during((signal) => run(statement, signal))
        if (!isDone) break
      }
    }
  } finally {
    terminal.close()
  }
}

import { createInterface } from 'node:readline/promises'
import type { CliPrompt } from './io.ts'

/** A prompt on a terminal, with editing and history. While it is open, Ctrl-C goes to it and not to the process. */
export function openTerminalPrompt(
  streams: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream },
  history: readonly string[],
): CliPrompt {
  const lines = createInterface({
    ...streams,
    ...{ terminal: true, history: history.toReversed(), historySize: 1_000, removeHistoryDuplicates: true },
  })
  let isClosed = false
  let interrupted = () => {}
  const closed = new Promise<null>((resolve) =>
    lines.once('close', () => {
      isClosed = true
      resolve(null)
    }),
  )
  lines.on('SIGINT', () => interrupted())
  return {
    async read(prompt) {
      if (isClosed) return null
      const stop = new AbortController()
      const broken = new Promise<'interrupted'>((resolve) => {
        interrupted = () => resolve('interrupted')
      })
      const line = await Promise.race([
        lines.question(prompt, { signal: stop.signal }).catch(() => 'interrupted' as const),
        broken,
        closed,
      ])
      interrupted = () => {}
      if (line !== 'interrupted') return line
      stop.abort()
      // What was typed is dropped, and the prompt begins on a new line.
      lines.write(null, { ctrl: true, name: 'e' })
      lines.write(null, { ctrl: true, name: 'u' })
      streams.output.write('^C\n')
      return line
    },
    async during(work) {
      const stop = new AbortController()
      interrupted = () => stop.abort()
      try {
        await work(stop.signal)
      } finally {
        interrupted = () => {}
      }
      return !stop.signal.aborted && !isClosed
    },
    close: () => lines.close(),
  }
}

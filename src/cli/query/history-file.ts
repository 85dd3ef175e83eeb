import { dirname, join } from 'node:path'
import type { CliIo } from '../io.ts'

/** So many lines are kept. */
const keptLines = 1_000

/**
 * What was typed at the prompt, newest last. It may hold secrets, so nobody else can read the file, and a line that
 * begins with a space is not kept. A history that cannot be read or written is no failure of the prompt.
 */
export interface HistoryFile {
  lines: readonly string[]
  add(line: string): Promise<void>
}

export async function openHistory({ env, readFile, appendPrivately }: CliIo): Promise<HistoryFile> {
  const state = env['XDG_STATE_HOME'] || (env['HOME'] ? join(env['HOME'], '.local/state') : '')
  if (state === '') return { lines: [], add: async () => undefined }
  const path = join(state, 'granary', 'query-history')
  const text = await readFile(path).then(
    (content) => new TextDecoder().decode(content),
    () => '',
  )
  const lines = text.split('\n').filter((line) => line !== '')
  const kept = lines.slice(-keptLines)
  let last = kept.at(-1)
  // The file is cut when it is twice as long as it needs to be.
  let whole: string | null = lines.length > 2 * keptLines ? `${kept.join('\n')}\n` : null
  return {
    lines: kept,
    async add(line) {
      if (line.trim() === '' || line.startsWith(' ') || line === last) return
      last = line
      const rest = `${line}\n`
      await appendPrivately(path, { directory: dirname(path), text: rest, replaceBy: whole }).catch(
        () => undefined,
      )
      whole = null
    },
  }
}

import { closeSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs'

/**
 * The cluster's state beside its records: topics, leaders, committed offsets, transactions. With a file, each
 * change is a line that is written before the change is answered, so it outlives kill -9; opening compacts the
 * file.
 */
export interface Journal {
  get<T>(key: string): T | undefined
  set(key: string, value: unknown): void
  delete(key: string): void
  /** The entries whose key begins with the prefix. */
  entries<T>(prefix: string): [key: string, value: T][]
  close(): void
}

export function openJournal(path: string | undefined): Journal {
  const values = path === undefined ? new Map<string, unknown>() : readLines(path)
  const file = path === undefined ? undefined : rewrite(path, values)
  const note = (key: string, value?: unknown): void => {
    if (file !== undefined) writeSync(file, lineOf(key, value))
  }
  return {
    get: <T>(key: string) => values.get(key) as T | undefined,
    set(key, value) {
      values.set(key, value)
      note(key, value)
    },
    delete(key) {
      if (values.delete(key)) note(key)
    },
    entries: <T>(prefix: string) =>
      [...values].filter(([key]) => key.startsWith(prefix)) as [key: string, value: T][],
    close() {
      if (file !== undefined) closeSync(file)
    },
  }
}

/** A line without a value deletes its key. */
const lineOf = (key: string, value: unknown): string => `${JSON.stringify([key, value])}\n`

function readLines(path: string): Map<string, unknown> {
  const values = new Map<string, unknown>()
  let text = ''
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  // An incomplete last line was never answered.
  for (const line of text.split('\n').slice(0, -1)) {
    const [key, value] = JSON.parse(line) as [string, unknown]
    if (value === null) values.delete(key)
    else values.set(key, value)
  }
  return values
}

function rewrite(path: string, values: Map<string, unknown>): number {
  writeFileSync(`${path}.new`, [...values].map(([key, value]) => lineOf(key, value)).join(''))
  renameSync(`${path}.new`, path)
  return openSync(path, 'a')
}

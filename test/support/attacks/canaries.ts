import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Files that no SQL may read or change, laid out as the server lays out its own beside a warehouse's data. */
export interface Canaries {
  readonly root: string
  /** A text file; `json` is a row of JSON, `store` an SQLite store. */
  readonly secret: string
  readonly json: string
  readonly store: string
  /** A path that an attack may try to write. */
  readonly target: string
  /** What an answer reveals, or which file has changed; '' = nothing. */
  damage(answer: string): string
  remove(): void
}

const word = 'CANARY-7f3a'

export function plantCanaries(): Canaries {
  const root = mkdtempSync(join(tmpdir(), 'granary-canaries-'))
  mkdirSync(join(root, 'warehouses/other/data'), { recursive: true })
  const write = (name: string, text: string): string => {
    writeFileSync(join(root, name), text)
    return join(root, name)
  }
  const secret = write('secret.key', `${word}\n`)
  const json = write('credentials.json', `{"a": "${word}"}\n`)
  write('warehouses/other/data/x.sql', `SELECT '${word}'\n`)
  const store = join(root, 'granary.db')
  const database = new DatabaseSync(store)
  database.exec(`CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('${word}')`)
  database.close()
  const seen = snapshot(root)
  return {
    ...{ root, secret, json, store, target: join(root, 'written') },
    damage(answer) {
      if (answer.includes(word)) return `the answer holds a secret: ${answer.slice(0, 200)}`
      const now = snapshot(root)
      return now === seen ? '' : `files have changed: ${now}`
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

const snapshot = (root: string): string =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const path = join(root, name)
      return `${name} ${statSync(path).isFile() ? readFileSync(path).toString('base64').slice(0, 200) : ''}`
    })
    .join('\n')

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import {
  appendFile,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { confine, type Policy } from '../../src/process/confine/confine.ts'
import { loadNative } from '../../src/process/native.ts'

/**
 * Confines its process as told, then makes attempts and prints the outcome of each: '' or the error's code. Files
 * are accessed in threads of the pool, as a replica's statements are.
 */
export interface ConfinedTask {
  /** Null = the process stays unconfined. */
  policy: Policy | null
  /** The thread pool starts before the process is confined. */
  late?: boolean
  attempts: [what: keyof typeof attempts, ...paths: string[]][]
}

export interface ConfinedReport {
  confinement: string
  outcomes: string[]
  /** Names of threads that are outside the confinement. */
  outside: string[]
}

const attempts = {
  read: (path: string) => readFile(path),
  list: (path: string) => readdir(path),
  write: (path: string) => writeFile(path, 'mine'),
  append: (path: string) => appendFile(path, 'mine'),
  truncate: (path: string) => truncate(path, 0),
  remove: (path: string) => rm(path),
  makeDirectory: (path: string) => mkdir(path),
  rename: (from: string, to = '') => rename(from, to),
  link: (from: string, to = '') => link(from, to),
  symlink: (from: string, to = '') => symlink(from, to),
  fifo: async (path: string) => {
    const native = loadNative()
    if (!('missing' in native)) native.makeFifo(path, 0o600)
  },
  execute: async (path: string) => {
    const { error } = spawnSync(path, ['--version'])
    if (error) throw error
  },
  signal: async (pid: string) => process.kill(Number(pid), 0),
  listen: (path: string) => listen(/^\d+$/.test(path) ? { port: Number(path), host: '127.0.0.1' } : { path }),
}

function listen(at: { port: number; host: string } | { path: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(at, () => {
      server.close()
      resolve()
    })
  })
}

async function main({ policy, late, attempts: wanted }: ConfinedTask): Promise<ConfinedReport> {
  if (late) await readFile('/dev/null')
  const confinement = policy === null ? '' : attempt(() => JSON.stringify(confine(policy)))
  const outcomes: string[] = []
  for (const [what, path = '', other] of wanted) {
    const outcome = await attempts[what](path, other ?? '').then(
      () => '',
      (error: NodeJS.ErrnoException & { errno?: number }) => error.code ?? `errno ${error.errno}`,
    )
    outcomes.push(outcome)
  }
  return { confinement, outcomes, outside: threadsOutside() }
}

function attempt(work: () => string): string {
  try {
    return work()
  } catch (error) {
    return (error as Error).message
  }
}

function threadsOutside(): string[] {
  try {
    return readdirSync('/proc/self/task').flatMap((task) => {
      const isInside = /^NoNewPrivs:\s*1$/m.test(readFileSync(`/proc/self/task/${task}/status`, 'utf8'))
      return isInside ? [] : [readFileSync(`/proc/self/task/${task}/comm`, 'utf8').trim()]
    })
  } catch {
    return ['unknown']
  }
}

if (process.argv[2]) {
  process.stdout.write(JSON.stringify(await main(JSON.parse(process.argv[2]) as ConfinedTask)))
}

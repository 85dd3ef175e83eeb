import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { fileRights, type Landlock, openLandlock, rights } from './landlock.ts'

/**
 * What a process may still do once it is confined: nothing but this. It executes no program, takes no TCP port,
 * signals nobody else and gains no privileges. Paths stand for what lies there when the process is confined, and for
 * all below it; what is put there later in its place is another file.
 */
export interface Policy {
  /** Files and directories. What is not there is left out. */
  read: readonly string[]
  /** Directories in which it reads, writes, makes and removes files, directories, FIFOs and links; they must be there. */
  write: readonly string[]
  /** Files that it reads and writes. */
  devices: readonly string[]
  /** Directories in which it may make sockets, but neither see nor remove what is there. */
  sockets: readonly string[]
}

/** What confines a process here; `none` with the reason why nothing does. */
export type Support = { by: 'landlock'; version: number } | { by: 'none'; why: string }

export function describeSupport(): Support {
  const landlock = openLandlock()
  return 'missing' in landlock
    ? { by: 'none', why: landlock.missing }
    : { by: 'landlock', version: landlock.abi }
}

/** As people and metrics are told: `landlock 7`, `none: the kernel has no Landlock`. */
export const supportText = (support: Support): string =>
  support.by === 'landlock' ? `landlock ${support.version}` : `none: ${support.why}`

/**
 * Confines this thread and all that it starts from now on, for good. Threads that run already stay as they are: call it
 * on the main thread before anything uses libuv's thread pool. (Node's own threads are older; they run no code of ours.)
 * Throws, and leaves the thread as it is, where something that it is to write to is not there.
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
  // The kernel forgets files of /proc that nobody holds, and a rule with them.
  if (!path.startsWith('/proc/')) closeSync(fd)
}

/** A pool of threads that is older than the confinement would be outside of it. */
function refuseLate(): void {
  if (threadNames().includes('libuv-worker'))
    throw new Error('the thread pool runs already: it cannot be confined any more')
}

/** Of the threads that run in this process now. */
export const threadNames = (): string[] =>
  readdirSync('/proc/self/task').map((task) => readFileSync(`/proc/self/task/${task}/comm`, 'utf8').trim())

import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'

/** Identifies one process: the system reuses pids, but a pid is unique together with its start time. */
export interface ProcessIdentity {
  pid: number
  /** The start time, as a text that is unique for this pid on this boot of the machine. */
  began: string
}

/** Null = the process is gone. */
export async function identify(pid: number): Promise<ProcessIdentity | null> {
  const began = hasProc ? beganOnLinux(pid) : await beganByPs(pid)
  return began === null ? null : { pid, began }
}

/** A zombie counts as dead. If the state cannot be determined, the process counts as alive. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  try {
    return (await identify(identity.pid))?.began === identity.began
  } catch {
    return true
  }
}

/** Never reaches another process that got the same pid. False = the process is gone. */
export async function signalExactly(identity: ProcessIdentity, signal: NodeJS.Signals): Promise<boolean> {
  if (!(await isAlive(identity))) return false
  try {
    process.kill(identity.pid, signal)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}

/** The processes that run `script` on a working directory, by their command lines. */
export async function listByScript(script: string): Promise<{ pid: number; workDir: string }[]> {
  const all = hasProc ? commandLinesOnLinux() : await commandLinesByPs(script)
  return all.flatMap(({ pid, words }) => {
    // The directory must directly follow the script: an editor or a pager that has the script open is no worker.
    const workDir = words[words.indexOf(script) + 1]
    return words.includes(script) && workDir ? [{ pid, workDir }] : []
  })
}

const bootId = readOrNull('/proc/sys/kernel/random/boot_id')?.trim() ?? null
const hasProc = bootId !== null && readOrNull(`/proc/${process.pid}/stat`) !== null

function beganOnLinux(pid: number): string | null {
  const stat = readOrNull(`/proc/${pid}/stat`)
  if (stat === null) return null
  // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, ticks] = [fields[0], fields[22 - 3]]
  return state === 'Z' || state === 'X' || ticks === undefined ? null : `${bootId}:${ticks}`
}

async function beganByPs(pid: number): Promise<string | null> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return null
  }
  const text = await ps('-o', 'stat=,lstart=', '-p', String(pid)).catch((error: { code?: unknown }) => {
    // ps exits with 1 when there is no such process; any other code is a failure of ps itself.
    if (error.code === 1) return ''
    throw error
  })
  const [, state = 'Z', began = ''] = /^\s*(\S+)\s+(.*\S)\s*$/.exec(text) ?? []
  return state.startsWith('Z') ? null : began
}

function commandLinesOnLinux(): { pid: number; words: string[] }[] {
  return readdirSync('/proc').flatMap((name) => {
    const line = /^\d+$/.test(name) ? readOrNull(`/proc/${name}/cmdline`) : null
    return line ? [{ pid: Number(name), words: line.split('\0') }] : []
  })
}

async function commandLinesByPs(script: string): Promise<{ pid: number; words: string[] }[]> {
  const lines = (await ps('-axww', '-o', 'pid=,command=')).split('\n')
  return lines.flatMap((line) => {
    const [, pid, before, after] = new RegExp(`^\\s*(\\d+) (.*?)${escaped(script)} (.*)$`).exec(line) ?? []
    // ps does not separate the words: the directory extends to the next word that begins with a slash.
    return pid && before && after ? [{ pid: Number(pid), words: [script, after.split(' /')[0] ?? ''] }] : []
  })
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** A fixed time zone and language keep the times comparable. */
async function ps(...args: string[]): Promise<string> {
  const env = { PATH: '/usr/bin:/bin', TZ: 'UTC', LC_ALL: 'C' }
  return (await promisify(execFile)('ps', args, { env })).stdout
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

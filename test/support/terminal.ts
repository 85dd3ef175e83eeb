import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'

/** Why no terminal can be opened on this machine; false = one can. */
export const noTerminal = ((): string | false => {
  try {
    const text = execFileSync('script', ['--version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return text.includes('util-linux') ? false : 'script is not the one of util-linux'
  } catch {
    return 'there is no script of util-linux'
  }
})()

/** A program that runs in its own terminal, as in a window. */
export interface Terminal {
  output(): string
  type(text: string): void
  /** Types Ctrl-C: the terminal sends SIGINT to every process in it. */
  interrupt(): void
  /** Closes the window: the terminal is gone, and sends SIGHUP. */
  close(): void
  /** Resolves with the program's exit code; null after the terminal was closed. */
  ended: Promise<number | null>
}

export function openTerminal(
  command: string,
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Terminal {
  // `exec` replaces the shell by the program: some shells answer Ctrl-C with an exit code of their own.
  const line = `exec ${command}`
  const child: ChildProcess = spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
    ...{ cwd, env, stdio: ['pipe', 'pipe', 'inherit'] as const },
  })
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8')
  })
  return {
    output: () => output,
    type: (text) => void child.stdin?.write(text),
    interrupt: () => void child.stdin?.write('\x03'),
    close: () => void child.kill('SIGKILL'),
    ended: once(child, 'exit').then(([code]) => code as number | null),
  }
}

/** Pids of processes whose command line or environment contains the text, without zombies. */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter(
      (name) => read(`/proc/${name}/cmdline`).includes(text) || read(`/proc/${name}/environ`).includes(text),
    )
    .map(Number)
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

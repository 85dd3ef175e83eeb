import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { appendFile, chmod, mkdir, open, readFile, writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { addAbortSignal } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { systemClock } from '../lib/clock.ts'
import { exitCodes } from './failure.ts'
import type { CliStream } from './io.ts'
import { runCli } from './run.ts'
import { openTerminalPrompt } from './terminal-prompt.ts'

// The entry point of the CLI: the only file of it that uses `process`.
const interrupt = new AbortController()
process.on('SIGINT', () => {
  // A second Ctrl-C exits at once.
  if (interrupt.signal.aborted) process.exit(exitCodes.interrupted)
  interrupt.abort()
})
// `granary services list | head -1` closes the pipe early; that is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? exitCodes.ok : exitCodes.unavailable)
})

process.exitCode = await runCli({
  argv: process.argv.slice(2),
  env: process.env,
  directory: process.cwd(),
  stdout: stream(process.stdout),
  stderr: stream(process.stderr),
  isInteractive: Boolean(process.stdin.isTTY && process.stderr.isTTY),
  // Ctrl-C also ends a wait for input that never comes.
  readStdin: () => buffer(addAbortSignal(interrupt.signal, process.stdin)),
  readFile: (path) => readFile(path),
  ask,
  openPrompt: (history) => openTerminalPrompt({ input: process.stdin, output: process.stderr }, history),
  appendPrivately,
  readPart,
  signal: interrupt.signal,
  clock: systemClock,
  fetch,
  version: packageVersion(),
})

function stream(target: NodeJS.WriteStream): CliStream {
  return {
    isTTY: Boolean(target.isTTY),
    write: (text) => void target.write(text),
    async writeBytes(bytes) {
      if (!target.write(bytes)) await once(target, 'drain')
    },
  }
}

/** On stderr, so that stdout holds only the result. */
async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  // While readline reads, the terminal sends Ctrl-C to readline and not to the process.
  lines.on('SIGINT', () => {
    interrupt.abort()
    lines.close()
  })
  try {
    const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
    return await Promise.race([lines.question(question), ended])
  } finally {
    lines.close()
  }
}

async function appendPrivately(
  path: string,
  { directory, text, replaceBy }: { directory: string; text: string; replaceBy: string | null },
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  if (replaceBy !== null) await writeFile(path, replaceBy, { mode: 0o600 })
  await appendFile(path, text, { mode: 0o600 })
  await chmod(path, 0o600)
}

async function readPart(path: string, from: number, atMost: number) {
  let file: Awaited<ReturnType<typeof open>>
  try {
    file = await open(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    const { size, ino, dev } = await file.stat()
    const { buffer, bytesRead } = await file.read(Buffer.alloc(atMost), 0, atMost, from)
    return { bytes: buffer.subarray(0, bytesRead), size, file: `${dev}:${ino}` }
  } finally {
    await file.close()
  }
}

function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

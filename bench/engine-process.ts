import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Answers, Requests } from './in-process.ts'
import { runtime } from './sizes.ts'

/** One process that calls the engine itself: the baseline that Granary is compared with. */
export interface EngineProcess {
  ask<Name extends keyof Requests>(name: Name, request: Requests[Name]): Promise<Answers[Name]>
  end(): Promise<void>
}

const script = fileURLToPath(new URL('./in-process.ts', import.meta.url))
/** Where `npm start` keeps compiled code; replicas use it too. */
export const compileCache = fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url))

/** `settings` have the form of the engine's command line. */
export function startEngineProcess(directory: string, settings: readonly string[] = []): EngineProcess {
  const { command, args, library } = runtime()
  const child = spawn(command, [...args, script, directory, library, ...settings], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // The environment that replicas get.
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      UV_THREADPOOL_SIZE: '256',
      NODE_COMPILE_CACHE: compileCache,
    },
  })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  let lastWords = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-4000)
  })
  // A write error needs no handler of its own: the exit of the child reports it.
  child.stdin.on('error', () => undefined)
  const exited = once(child, 'exit').then(() => undefined)
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()

  async function nextAnswer(): Promise<string> {
    for (;;) {
      const { value, done } = await answers.next()
      if (done) throw new Error(`the process that calls the engine ended: ${lastWords}`)
      // The engine library may print lines of its own.
      if (value.startsWith('{')) return value
    }
  }

  return {
    async ask(name, request) {
      child.stdin.write(`${JSON.stringify({ name, request })}\n`)
      const answer = JSON.parse(await nextAnswer())
      if (answer.error !== undefined) throw new Error(`${name} in one process: ${answer.error}`)
      return answer
    },
    async end() {
      child.stdin.end()
      const late = new AbortController()
      const timer = setTimeout(10_000, undefined, { signal: late.signal }).then(kill, () => undefined)
      await exited
      late.abort()
      await timer
      process.removeListener('exit', kill)
    },
  }
}

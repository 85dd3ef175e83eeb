import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { type ReplicaSpec, replicaFile } from '../../src/engine/embedded/protocol.ts'
import type { Runtime } from '../../src/engine/embedded/runtime.ts'
import { patienceMs } from './patience.ts'

/** A real replica process, reached over its socket. */
export interface TestReplica {
  readonly spec: ReplicaSpec
  readonly child: ChildProcess
  /** `http://127.0.0.1:port`, forwarded to the socket for clients that use only TCP. */
  readonly url: string
  send(search: string, body?: string | Buffer | Readable | null, options?: SendOptions): Promise<Reply>
  /** The text of a result; rejects on an error. */
  text(sql: string, search?: string): Promise<string>
  log(): string
  /** Resolves with the exit code, or the signal that ended the process. */
  stop(): Promise<number | string | null>
}

export interface SendOptions {
  method?: string
  path?: string
  headers?: Record<string, string>
  signal?: AbortSignal
}

export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
  text: string
  /** Whether the body ended as HTTP requires. */
  complete: boolean
}

const script = fileURLToPath(new URL('../../src/engine/embedded/replica/main.ts', import.meta.url))

export async function startTestReplica(
  runtime: Runtime,
  given: Partial<ReplicaSpec> = {},
): Promise<TestReplica> {
  const root = mkdtempSync(join(tmpdir(), 'granary-replica-'))
  const spec: ReplicaSpec = {
    ...{ replicaId: 'r1', role: 'writer', serviceId: 's1', warehouseId: 'w1', epoch: 7 },
    ...{ dataDir: join(root, 'data'), workDir: join(root, 'work'), socketPath: join(root, 'r.sock') },
    backupsDir: join(root, 'backups'),
    ...{ memoryBytes: 1_500_000_000, orphanAfterMs: 3_600_000, drainMs: 2_000, isolation: 'preferred' },
    ...given,
  }
  mkdirSync(spec.workDir, { recursive: true })
  writeFileSync(join(spec.workDir, replicaFile), JSON.stringify(spec))
  const library = runtime.library === '' ? [] : [runtime.library]
  const child = spawn(runtime.command, [...runtime.args, script, spec.workDir, ...library], {
    cwd: spec.workDir,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      UV_THREADPOOL_SIZE: '256',
      NODE_COMPILE_CACHE: join(tmpdir(), 'granary-replica-cache'),
    },
  })
  let output = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const agent = new Agent({ keepAlive: true })
  const forwarder = createServer((socket) => {
    const other = connect(spec.socketPath)
    socket.pipe(other).pipe(socket)
    socket.on('error', () => other.destroy()).on('close', () => other.destroy())
    other.on('error', () => socket.destroy()).on('close', () => socket.destroy())
  })

  const exited = once(child, 'exit') as Promise<[number | null, string | null]>
  const serves = new Promise<void>((resolve) => {
    child.stdout?.on('data', () => output.includes('replica serves') && resolve())
  })
  await Promise.race([serves, exited.then(() => Promise.reject(new Error(`the replica ended:\n${output}`)))])
  await new Promise<void>((resolve) => forwarder.listen(0, '127.0.0.1', resolve))

  async function send(
    search: string,
    body: string | Buffer | Readable | null = null,
    { method = 'POST', path = '/', headers = {}, signal }: SendOptions = {},
  ): Promise<Reply> {
    const sent = request({
      ...{ socketPath: spec.socketPath, agent, method, headers: { host: 'replica', ...headers } },
      path: `${path}${search === '' ? '' : `?${search}`}`,
      ...(signal ? { signal } : {}),
    })
    const answered = once(sent, 'response') as Promise<[import('node:http').IncomingMessage]>
    if (body === null || typeof body === 'string' || Buffer.isBuffer(body)) sent.end(body ?? undefined)
    else body.pipe(sent)
    const [answer] = await answered
    const chunks: Buffer[] = []
    try {
      for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk)
    } catch {
      // `complete` reports this.
    }
    const bytes = Buffer.concat(chunks)
    const { statusCode: status = 0, headers: answerHeaders, complete } = answer
    return { status, headers: answerHeaders, bytes, text: bytes.toString('utf8'), complete }
  }

  return {
    spec,
    child,
    url: `http://127.0.0.1:${(forwarder.address() as AddressInfo).port}`,
    send,
    async text(sql, search = '') {
      const { status, text } = await send(search, sql)
      if (status !== 200) throw new Error(text)
      return text
    },
    log: () => output,
    async stop() {
      agent.destroy()
      forwarder.close()
      child.kill('SIGTERM')
      const impatience = setTimeout(() => child.kill('SIGKILL'), patienceMs)
      const [code, signal] = await exited
      clearTimeout(impatience)
      rmSync(root, { recursive: true, force: true })
      return signal ?? code
    },
  }
}

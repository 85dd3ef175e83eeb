import { Agent, type IncomingMessage, request } from 'node:http'
import { type ReplicaSpec, type ReplicaStatus, replicaPaths } from './protocol.ts'

/** What the driver asks a replica, over its socket. */
export interface ReplicaClient {
  /** Rejects when it does not answer in time, or when another replica or an earlier process of it answers. */
  status(): Promise<ReplicaStatus>
  /** When it resolves, new statements are turned away; running ones go on. */
  drain(): Promise<void>
  close(): void
}

const maxAnswerBytes = 1024 * 1024

export function createReplicaClient(
  { socketPath, replicaId, epoch }: Pick<ReplicaSpec, 'socketPath' | 'replicaId' | 'epoch'>,
  timeoutMs: number,
): ReplicaClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 2 })
  const end = new AbortController()

  function ask(method: 'GET' | 'POST', path: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.any([end.signal, AbortSignal.timeout(timeoutMs)])
      const asked = request({ socketPath, agent, method, path, signal, headers: { host: 'replica' } })
      asked.once('error', reject)
      asked.once('response', (answer) => {
        readAll(answer).then((text) => {
          if (answer.statusCode === 200) resolve(text)
          else reject(new Error(`${method} ${path} was answered with ${answer.statusCode}`))
        }, reject)
      })
      asked.end()
    })
  }

  return {
    async status() {
      const status = JSON.parse(await ask('GET', replicaPaths.status)) as ReplicaStatus
      if (status.replicaId !== replicaId || status.epoch !== epoch) {
        throw new Error(
          `${status.replicaId}, epoch ${status.epoch}, answers instead of ${replicaId}, ${epoch}`,
        )
      }
      return status
    },
    async drain() {
      await ask('POST', replicaPaths.drain)
    },
    close() {
      end.abort()
      agent.destroy()
    },
  }
}

async function readAll(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxAnswerBytes) throw new Error('the answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

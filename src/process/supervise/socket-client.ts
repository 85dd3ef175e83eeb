import { Agent, type IncomingMessage, request } from 'node:http'

/** Sends HTTP requests to a worker over its socket. */
export interface SocketClient {
  /** The body of an answer with 200; rejects on any other answer, or when none comes in time. */
  ask(method: 'GET' | 'POST', path: string): Promise<string>
  close(): void
}

const maxAnswerBytes = 1024 * 1024

export function createSocketClient(socketPath: string, timeoutMs: number): SocketClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 2 })
  const end = new AbortController()
  return {
    ask(method, path) {
      return new Promise((resolve, reject) => {
        const signal = AbortSignal.any([end.signal, AbortSignal.timeout(timeoutMs)])
        const asked = request({ socketPath, agent, method, path, signal, headers: { host: 'worker' } })
        asked.once('error', reject)
        asked.once('response', (answer) => {
          readAll(answer).then((text) => {
            if (answer.statusCode === 200) resolve(text)
            else reject(new Error(`${method} ${path} was answered with ${answer.statusCode}`))
          }, reject)
        })
        asked.end()
      })
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

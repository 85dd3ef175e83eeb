import { once } from 'node:events'
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { releaseBuffer } from '../src/lib/release-buffer.ts'
import type { BenchService } from './warehouse.ts'

/** Reads a whole result from an endpoint and keeps none of it. */
export async function exportOverHttp(
  { port, headers }: BenchService,
  sql: string,
): Promise<{ seconds: number; bytes: number }> {
  const startedAt = performance.now()
  const sent = request({ host: '127.0.0.1', port, method: 'POST', headers })
  sent.end(sql)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  let bytes = 0
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    releaseBuffer(chunk)
  })
  await once(answer, 'end')
  if (answer.statusCode !== 200 || !answer.complete) throw new Error(`${sql}: ${answer.statusCode}`)
  return { seconds: (performance.now() - startedAt) / 1000, bytes }
}

/** Sends a file as the data of an INSERT. */
export async function insertOverHttp(
  { port, headers }: BenchService,
  sql: string,
  file: string,
): Promise<{ seconds: number }> {
  const startedAt = performance.now()
  const sent = request({
    ...{ host: '127.0.0.1', port, method: 'POST', path: `/?query=${encodeURIComponent(sql)}` },
    headers: { ...headers, 'Content-Length': statSync(file).size },
  })
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>
  const [[answer]] = await Promise.all([answered, sendFile(file, sent)])
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) text += chunk
  if (answer.statusCode !== 200) throw new Error(`${sql}: ${text}`)
  return { seconds: (performance.now() - startedAt) / 1000 }
}

/** Sends from one reused buffer, so that the client costs little beside the server that is measured. */
async function sendFile(file: string, sent: ClientRequest): Promise<void> {
  const fd = openSync(file, 'r')
  const room = Buffer.allocUnsafe(256 * 1024)
  const send = (bytes: Buffer) =>
    new Promise<void>((resolve, reject) => sent.write(bytes, (error) => (error ? reject(error) : resolve())))
  try {
    for (let bytes = readSync(fd, room); bytes > 0; bytes = readSync(fd, room)) {
      await send(room.subarray(0, bytes))
    }
  } finally {
    closeSync(fd)
    sent.end()
  }
}

import { request } from 'node:http'
import { type ReplicaSpec, replicaPaths, type WriterJob, type WriterTask } from '../protocol.ts'
import { BackupError } from './reasons.ts'

/** The backup requests to a writer, over its socket. */
export interface WriterClient {
  begin(task: WriterTask): Promise<WriterJob>
  /** The answer comes when the job has ended, or after `waitMs`. */
  read(id: string, wait?: { waitMs: number; signal: AbortSignal }): Promise<WriterJob>
  cancel(id: string): Promise<void>
}

/** The writer was adopted from an earlier version. */
const tooOld = 'the writer is of an earlier version: stop the service and start it again'
const maxAnswerCharacters = 1024 * 1024

export function createWriterClient(
  { socketPath }: Pick<ReplicaSpec, 'socketPath'>,
  timeoutMs: number,
): WriterClient {
  function ask(
    method: string,
    id: string,
    { body = '', waitMs = 0, signals = [] as AbortSignal[] } = {},
  ): Promise<WriterJob> {
    return new Promise((resolve, reject) => {
      const path = `${replicaPaths.backup}?id=${encodeURIComponent(id)}&wait_ms=${waitMs}`
      const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs + waitMs), ...signals])
      const asked = request({ socketPath, method, path, signal, headers: { host: 'replica' } })
      asked.once('error', reject)
      asked.once('response', (answer) => {
        let text = ''
        answer.setEncoding('utf8')
        answer.on('data', (chunk: string) => {
          text += chunk
          if (text.length > maxAnswerCharacters) answer.destroy(new Error('the answer is too long'))
        })
        answer.once('error', reject)
        answer.once('end', () => {
          if (answer.statusCode === 200) resolve(JSON.parse(text) as WriterJob)
          else if (answer.statusCode === 404) reject(new BackupError(tooOld))
          else reject(new Error(`${method} of a backup was answered with ${answer.statusCode}`))
        })
      })
      asked.end(body)
    })
  }

  return {
    begin: (task) => ask('POST', task.id, { body: JSON.stringify(task) }),
    read: (id, wait) => ask('GET', id, wait && { waitMs: wait.waitMs, signals: [wait.signal] }),
    async cancel(id) {
      await ask('DELETE', id)
    },
  }
}

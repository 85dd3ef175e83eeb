import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describeStatement } from '../../../../lib/clickhouse/statement.ts'
import { systemClock } from '../../../../lib/clock.ts'
import { endsWithin, type Log } from '../../../../lib/running.ts'
import { EngineError } from '../../engine-error.ts'
import { refuseForbiddenDefinition } from '../../filter/definition.ts'
import { refuseForbidden } from '../../filter/forbidden.ts'
import { isName, jobRoomParts, type WriterJob, type WriterTask } from '../../protocol.ts'
import type { Egress } from '../confine/egress.ts'
import { type Connections, ourProfile } from '../engine/connections.ts'
import { readEngineError } from '../engine/errors.ts'
import { createRunningStatements } from '../statement/running.ts'
import { statementOf } from './statement.ts'

/**
 * Backups and restores that the driver asks for. Clients cannot start them: the filter checks what clients send. Of the
 * directory with all backups the engine sees only what a job needs, and only while the job runs: a forged backup in a
 * bucket may name another owner's backup as its base. Jobs are forgotten when this process ends.
 */
export interface BackupJobs {
  /** Begins the job unless its id is known, and answers as `read` does. */
  begin(task: WriterTask): Promise<WriterJob>
  /** Resolves when the job has ended, or after `waitMs`. */
  read(id: string, waitMs?: number): Promise<WriterJob>
  /** Resolves when the engine has accepted the cancellation. */
  cancel(id: string): Promise<void>
  cancelAll(): void
  /** Resolves when no job runs. */
  idle(): Promise<void>
}

interface Job {
  kind: WriterTask['kind']
  state: 'running' | 'done' | 'failed'
  failure: WriterJob['failure']
  ended: Promise<void>
}

const unknown: WriterJob = {
  ...{ state: 'unknown', bytes: 0, totalBytes: 0, files: 0, totalFiles: 0, failure: null },
}

export function createBackupJobs({
  connections,
  egress,
  log,
  home,
  reach,
}: {
  connections: Connections
  egress: Pick<Egress, 'grant'>
  log: Log
  /** `home` is the directory of the replica's jobs; `reach` is where the engine looks for backups. */
  home: string
  reach: string
}): BackupJobs {
  const jobs = new Map<string, Job>()
  const statements = createRunningStatements(connections.run)

  async function run(task: WriterTask, job: Job): Promise<void> {
    const running = statements.add(task.id)
    try {
      for (const folder of task.folders) link(folder, task)
      await makeFunctions(task.functions ?? [])
      const isRestore = task.kind === 'restore'
      // Restored views must not refresh before their definitions are checked.
      if (isRestore) await connections.run('SYSTEM STOP VIEWS')
      // The connection is not reused: the statement contains keys.
      const connection = await connections.take(ourProfile)
      // While the job runs, clients' SQL can connect to the bucket too, but only to its exact addresses and port.
      const withdraw = egress.grant(task.endpoints ?? [])
      try {
        await running.run(connection, statementOf(task))
      } finally {
        connection.release('dirty')
        withdraw()
        // Clients' SQL could reuse connections that the engine has pooled.
        if (task.endpoints?.length) await connections.run('SYSTEM DROP CONNECTIONS CACHE')
      }
      if (isRestore) {
        await refuseForbiddenTables()
        await connections.run('SYSTEM START VIEWS')
      }
      job.state = 'done'
    } catch (error) {
      const { code, type, message } = readEngineError(error)
      job.failure = { code, type, message: hideKeys(message, task) }
      job.state = 'failed'
      log.warn({ id: task.id, code, type }, `a ${task.kind} failed`)
    } finally {
      for (const folder of task.folders) rmSync(join(reach, folder), { force: true })
      running.remove()
    }
  }

  /** The owner of a bucket may have replaced the functions that the backup wrote there with other statements. */
  async function makeFunctions(functions: readonly string[]): Promise<void> {
    for (const sql of functions) {
      refuseForbidden(sql)
      if (!/^CREATE FUNCTION\s/i.test(sql) || describeStatement(sql).statements > 1) {
        throw new EngineError(36, 'BAD_ARGUMENTS', 'something else than a function lies among the functions')
      }
      await connections.run(sql)
    }
  }

  /** The driver has checked the definitions before, but the contents of a bucket may have changed since. */
  async function refuseForbiddenTables(): Promise<void> {
    const text =
      await connections.run(`SELECT concat(database, '.', name), create_table_query FROM system.tables
      WHERE database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA')
      UNION ALL SELECT name, concat('CREATE DATABASE d ENGINE = ', engine_full) FROM system.databases
      WHERE name NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA', 'default') FORMAT JSONCompactEachRow`)
    for (const line of text.split('\n')) {
      if (line === '') continue
      const [object, sql] = JSON.parse(line) as [string, string]
      try {
        refuseForbiddenDefinition(sql)
      } catch (error) {
        const { code, type, message } = readEngineError(error)
        throw new EngineError(code, type, `the definition of ${object} is refused: ${message}`)
      }
    }
  }

  function link(folder: string, { id, kind }: WriterTask): void {
    if (!isName(folder)) throw new Error(`${folder} is no backup's name`)
    const isMade = kind === 'backup' && folder === id
    const path = join(home, isMade ? jobRoomParts.made : jobRoomParts.lent, folder)
    if (isMade) mkdirSync(path, { recursive: true, mode: 0o700 })
    rmSync(join(reach, folder), { force: true })
    symlinkSync(path, join(reach, folder))
  }

  async function read(id: string, waitMs = 0): Promise<WriterJob> {
    const job = jobs.get(id)
    if (!job) return unknown
    if (waitMs > 0 && job.state === 'running') await endsWithin(systemClock, waitMs, job.ended)
    // Read before the query: a job that ends during the query is reported as ended, with its final numbers, next time.
    const { state, failure } = job
    const numbers = await connections.run(progressQuery(job.kind, id)).catch((error: unknown) => {
      // A finished job must report its numbers, so the driver has to ask again.
      if (state === 'done') throw error
      return ''
    })
    const [bytes = 0, totalBytes = 0, files = 0, totalFiles = 0] = numbers.trim().split('\t').map(Number)
    return { state, bytes, totalBytes, files, totalFiles, failure }
  }

  return {
    async begin(task) {
      if (jobs.has(task.id)) return read(task.id)
      const job: Job = { kind: task.kind, state: 'running', failure: null, ended: Promise.resolve() }
      jobs.set(task.id, job)
      job.ended = run(task, job)
      return { ...unknown, state: 'running' }
    },
    read,
    async cancel(id) {
      await statements.byQueryId(id)?.cancel()
    },
    cancelAll: () => statements.cancelAll(),
    idle: () => statements.idle(),
  }
}

/** While a backup runs the engine counts only the bytes written; the size of the backup is known at its end. */
function progressQuery(kind: WriterTask['kind'], id: string): string {
  const written = ['WriteBufferFromFileDescriptorWriteBytes', 'WriteBufferFromS3Bytes']
    .map((event) => `ProfileEvents['${event}']`)
    .join(' + ')
  const columns =
    kind === 'restore'
      ? 'bytes_read, total_size, files_read, num_files'
      : `if(num_files = 0, ${written}, compressed_size), compressed_size, num_entries, num_entries`
  return `SELECT ${columns} FROM system.backups WHERE id = '${id.replaceAll(/[^\w-]/g, '')}'`
}

/** The engine masks keys in most messages; this covers the messages in which it does not. */
function hideKeys(message: string, { target }: WriterTask): string {
  if (target.kind === 'local') return message
  const secrets = [target.secretAccessKey, target.sessionToken].filter((secret) => secret !== '')
  return secrets.reduce((text, secret) => text.replaceAll(secret, '[hidden]'), message)
}

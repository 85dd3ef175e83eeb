// A replica process without an engine: keeps the contract of src/engine/embedded/replica on its socket, records
// events, and misbehaves as `behave.json` in the warehouse's data directory, or in the directory above, says.
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ReplicaSpec, ReplicaStatus, WriterJob, WriterTask } from '../../src/engine/embedded/protocol.ts'
import { awaitAssignment } from '../../src/process/worker/assignment.ts'

/** By replica id; `*` = every replica. */
export type Behaviours = Record<string, Behaviour>

export interface Behaviour {
  /** `refuse` = reports a reason and exits; `hang` = never opens its socket; `crash` = kills itself. */
  start?: 'refuse' | 'hang' | 'crash'
  /** Ignores requests to end. */
  stubborn?: boolean
  /** Answers for another epoch. */
  impostor?: boolean
  runningQueries?: number
  engineError?: string
  catalogError?: string
  parts?: number
  /** State of a backup or restore job; absent = done as soon as it is asked for. */
  job?: 'running' | 'failed'
}

export interface ReplicaEvent {
  /** `overlap` = a second writer on the same data, which must never happen. */
  event: 'start' | 'serve' | 'drain' | 'term' | 'end' | 'overlap' | 'backup' | 'restore' | 'cancel'
  replicaId: string
  epoch: number
  role: 'writer' | 'reader'
  pid: number
  memoryBytes: number
  environment: string[]
}

export const behaviourFile = 'behave.json'
export const eventFile = 'events.log'

async function run(workDir: string): Promise<void> {
  const spec = JSON.parse(readFileSync(join(workDir, 'replica.json'), 'utf8')) as ReplicaSpec
  const { replicaId, epoch, role, dataDir, socketPath, memoryBytes, orphanAfterMs, drainMs } = spec
  const startedAtMs = Date.now()
  let askedAtMs = startedAtMs
  let draining = false
  let isEnding = false
  let job: { path: string; kind: WriterTask['kind']; isCancelled: boolean } | null = null

  const readBehaviour = (folder: string): Behaviour => {
    try {
      const all = JSON.parse(readFileSync(join(folder, behaviourFile), 'utf8')) as Behaviours
      return { ...all['*'], ...all[replicaId] }
    } catch {
      return {}
    }
  }
  const behaviour = () => ({ ...readBehaviour(join(dataDir, '..')), ...readBehaviour(dataDir) })
  const note = (event: ReplicaEvent['event']) => {
    const environment = Object.keys(process.env).sort()
    const { pid } = process
    const line: ReplicaEvent = { event, replicaId, epoch, role, pid, memoryBytes, environment }
    appendFileSync(join(dataDir, eventFile), `${JSON.stringify(line)}\n`)
  }

  // Ctrl-C in a terminal is for the control plane only.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => void end())
  // Read before the start is noted: once a test sees that note it may change the file.
  const { start } = behaviour()
  note('start')
  if (role === 'writer') {
    try {
      new DatabaseSync(join(dataDir, 'writer.lock'), { timeout: 0 }).exec('BEGIN EXCLUSIVE')
    } catch {
      note('overlap')
      process.exit(3)
    }
  }
  switch (start) {
    case 'refuse':
      console.error('all is well\nCode: 76. DB::Exception: Cannot open: No space left, password=hunter2')
      process.exit(1)
      break
    case 'crash':
      process.kill(process.pid, 'SIGKILL')
      break
    case 'hang':
      await new Promise(() => setInterval(() => {}, 1_000))
  }

  const server = createServer((request, response) => {
    const { impostor, runningQueries = 0, engineError = '', catalogError = '', parts = 0 } = behaviour()
    if (request.url === '/granary/drain') {
      draining = true
      note('drain')
      response.end()
    } else if (request.url === '/granary/status') {
      askedAtMs = Date.now()
      const status: ReplicaStatus = {
        replicaId,
        epoch: impostor ? epoch + 1 : epoch,
        role,
        pid: process.pid,
        version: '26.7.fake',
        startedAtMs,
        draining,
        isolation: 'off',
        engineError,
        catalogError,
        usage: { ...noUsage, runningQueries },
        busy: { merges: 0, mutations: 0, backups: 0, queries: runningQueries },
        storage: { parts, usedBytes: parts * 1_000 },
      }
      response.end(JSON.stringify(status))
    } else if (request.url?.startsWith('/granary/backup')) void answerJob(request, response)
    else if (draining) response.writeHead(503, { 'x-granary-draining': '1', 'retry-after': '0' }).end()
    else response.end(`${replicaId}\n`)
  })
  rmSync(socketPath, { force: true })
  server.listen(socketPath, () => note('serve'))
  setInterval(() => {
    if (Date.now() - askedAtMs > orphanAfterMs) void end()
  }, orphanAfterMs / 4)

  async function answerJob(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const numbers = { bytes: 40, totalBytes: 100, files: 1, totalFiles: 2 }
    const answer = (state: WriterJob['state'], failure: WriterJob['failure'] = null) =>
      response.end(JSON.stringify({ ...numbers, state, failure } satisfies WriterJob))
    if (request.method === 'POST') {
      let text = ''
      for await (const chunk of request) text += chunk
      const { kind, folders } = JSON.parse(text) as WriterTask
      note(kind)
      job = { path: join(spec.backupsDir, 'new', folders[0] ?? ''), kind, isCancelled: false }
      mkdirSync(job.path, { recursive: true })
      writeFileSync(join(job.path, 'half-made'), '')
    }
    if (request.method === 'DELETE') {
      note('cancel')
      if (job) job.isCancelled = true
    }
    if (!job) return void answer('unknown')
    if (job.isCancelled) return void answer('failed', { code: 394, type: 'CANCELLED', message: 'cancelled' })
    const state = behaviour().job ?? 'done'
    if (state === 'failed') return void answer(state, { code: 243, type: 'FULL', message: 'no space left' })
    const manifest = '<config><version>1</version><uuid>u</uuid><contents></contents></config>'
    if (state === 'done' && job.kind === 'backup') writeFileSync(join(job.path, '.backup'), manifest)
    answer(state)
  }

  async function end(): Promise<void> {
    if (isEnding || behaviour().stubborn) return
    isEnding = true
    draining = true
    note('term')
    const untilMs = Date.now() + drainMs
    while ((behaviour().runningQueries ?? 0) > 0 && Date.now() < untilMs) await sleep(5)
    note('end')
    process.exit(0)
  }
}

const noUsage = {
  residentBytes: 100,
  peakQueryBytes: 0,
  peakResidentBytes: 100,
  cpuSeconds: 0,
  runningQueries: 0,
  queries: 0,
  failedQueries: 0,
  outOfMemory: 0,
  rowsRead: 0,
  bytesRead: 0,
  rowsWritten: 0,
  bytesWritten: 0,
}

// Called as the driver calls a replica: with this script, the real script's path, and the working directory.
if (import.meta.main) await run(process.send ? await awaitAssignment() : (process.argv[3] ?? ''))

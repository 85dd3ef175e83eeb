import type { Clock } from '../../../lib/clock.ts'
import type { Limits } from '../limits.ts'
import type { ReplicaSpec, WriterJob, WriterTask } from '../protocol.ts'
import type { ReplicaProcess } from '../replica-kind.ts'
import { BackupError } from './reasons.ts'
import { createWriterClient, type WriterClient } from './writer-client.ts'

/** Provides a writer that is kept running for backup jobs. */
export interface WriterHost {
  /** No process and no problem = the writer will start soon. The process may still be starting. */
  writer(): { process: ReplicaProcess | null; problem: string }
}

export interface WriterRun {
  host: WriterHost
  id: string
  /** For a person, as in "the writer ended while … ". */
  doing: string
  /** Called with the job's writer, as soon as its process begins to start. */
  found(writer: ReplicaSpec): void
  /** Called when the writer does not know the job yet: clears the job's target, and returns the task. */
  prepare(): Promise<WriterTask>
  progress(job: WriterJob): void
  /** On abort, the running job is cancelled. */
  signal: AbortSignal
  clock: Clock
  limits: Pick<Limits, 'pollMs' | 'startPollMs' | 'statusTimeoutMs'>
}

/** How long the engine may take to notice a cancellation. */
const cancelPatienceMs = 30_000

/** Waits for the writer, begins the job there or finds it running, and follows it to its end. */
export async function runInWriter(run: WriterRun): Promise<WriterJob> {
  for (;;) {
    const process = await readyWriter(run)
    const client = createWriterClient(process.spec, run.limits.statusTimeoutMs)
    const job = await begin(run, process, client)
    if (job) return follow(run, process, client, job)
  }
}

async function readyWriter({ host, found, signal, clock, limits }: WriterRun): Promise<ReplicaProcess> {
  for (let known: ReplicaProcess | null = null; ; ) {
    signal.throwIfAborted()
    const { process, problem } = host.writer()
    if (process && process !== known) found(process.spec)
    if (process?.isReady) return process
    known = process
    if (problem !== '') throw new BackupError(problem, { retryable: true })
    await clock.sleep(limits.startPollMs, signal)
  }
}

/** Null = the writer ended before the job had begun; another writer will come. */
async function begin(
  run: WriterRun,
  process: ReplicaProcess,
  client: WriterClient,
): Promise<WriterJob | null> {
  const known = await ask(run, process, () => client.read(run.id))
  if (known === null || known.state !== 'unknown') return known
  const task = await run.prepare()
  return ask(run, process, () => client.begin(task))
}

async function follow(
  run: WriterRun,
  process: ReplicaProcess,
  client: WriterClient,
  begun: WriterJob,
): Promise<WriterJob> {
  const { id, doing, signal, clock, limits } = run
  let job: WriterJob | null = begun
  // The writer answers when the job ends; until then, a long job reports its progress less and less often.
  let waitMs = 10 * limits.startPollMs
  try {
    while (job?.state === 'running') {
      run.progress(job)
      const askedAtMs = clock.now()
      job = await ask(run, process, () => client.read(id, { waitMs, signal }))
      // A writer of an earlier version ignores `waitMs` and answers at once.
      const leftMs = askedAtMs + waitMs - clock.now()
      if (job?.state === 'running' && leftMs > 1) await clock.sleep(leftMs, signal)
      waitMs = Math.round(Math.min(1.5 * waitMs, Math.max(10 * limits.startPollMs, limits.pollMs / 2)))
    }
  } catch (error) {
    if (signal.aborted) await cancel(run, process, client)
    throw error
  }
  if (job === null || job.state === 'unknown') {
    throw new BackupError(`the writer ended while ${doing}`, { retryable: true })
  }
  return job
}

async function cancel(
  { id, clock }: WriterRun,
  process: ReplicaProcess,
  client: WriterClient,
): Promise<void> {
  const deadlineMs = clock.now() + cancelPatienceMs
  while (process.phase !== 'gone' && clock.now() < deadlineMs) {
    await client.cancel(id).catch(() => undefined)
    const { state } = await client.read(id).catch(() => ({ state: 'running' }))
    if (state !== 'running') return
    await clock.sleep(50)
  }
}

/** Null = the process is gone. A silent process is either busy, or the supervisor will end it. */
async function ask<T>(
  { signal, clock, limits }: WriterRun,
  process: ReplicaProcess,
  question: () => Promise<T>,
): Promise<T | null> {
  for (;;) {
    signal.throwIfAborted()
    if (process.phase === 'gone') return null
    try {
      return await question()
    } catch (error) {
      if (error instanceof BackupError) throw error
      await clock.sleep(5 * limits.startPollMs, signal)
    }
  }
}

import type { BackupObservation } from '../../backup.ts'
import { BackupError } from './reasons.ts'

/** What is done with backups in this process, by name. The memory of it ends with the process. */
export interface BackupJobs {
  /** Does nothing while a job of that name runs, or if it was done. `run` resolves with the end, and never rejects. */
  begin(name: string, run: (job: RunningJob) => Promise<BackupObservation>): void
  observe(name: string): BackupObservation
  /** Ends a job that runs, and resolves when it has ended. */
  end(name: string, reason: string): Promise<void>
  /** As if the job had ended like this. */
  note(name: string, ended: BackupObservation): void
  /** Ends a job that runs, and remembers nothing of it. */
  forget(name: string): void
  /** Ends all of them; none begins any more. */
  close(reason: string): Promise<void>
}

export interface RunningJob {
  signal: AbortSignal
  tell(state: BackupObservation): void
}

interface Job {
  state: BackupObservation
  end: AbortController
  done: Promise<void>
}

/** Of jobs that ended, so many are remembered. */
const maxEnded = 1_000

/** `ended` is told of every job that came to an end by itself or was ended. */
export function createBackupJobs(ended: (name: string) => void): BackupJobs {
  const jobs = new Map<string, Job>()
  const closing = new AbortController()

  async function follow(name: string, job: Job, run: (job: RunningJob) => Promise<BackupObservation>) {
    const { signal } = job.end
    const tell = (state: BackupObservation) => {
      job.state = state
    }
    // From its end on the job may be begun anew.
    job.state = await run({ signal, tell })
    ended(name)
  }

  function forgetOldest(): void {
    for (const [name, { state }] of jobs) {
      if (jobs.size < maxEnded) return
      if (state.state !== 'running') jobs.delete(name)
    }
  }

  async function end(name: string, reason: string): Promise<void> {
    const job = jobs.get(name)
    if (job?.state.state !== 'running') return
    job.end.abort(new BackupError(reason))
    await job.done
  }

  return {
    begin(name, run) {
      if (closing.signal.aborted) throw new BackupError('the engine is being closed', { retryable: true })
      const known = jobs.get(name)?.state.state
      if (known === 'running' || known === 'done') return
      forgetOldest()
      const job: Job = { state: { state: 'running', progress: nothing }, ...idle() }
      jobs.set(name, job)
      job.done = follow(name, job, run)
    },
    observe: (name) => jobs.get(name)?.state ?? { state: 'absent' },
    end,
    note: (name, state) => void jobs.set(name, { state, ...idle() }),
    forget(name) {
      jobs.get(name)?.end.abort(new BackupError('nobody waits for it any more'))
      jobs.delete(name)
    },
    async close(reason) {
      closing.abort()
      await Promise.all([...jobs.keys()].map((name) => end(name, reason)))
    },
  }
}

const nothing = { bytes: 0, totalBytes: 0, files: 0, totalFiles: 0 }
const idle = () => ({ end: new AbortController(), done: Promise.resolve() })

import type { BackupObservation } from '../../backup.ts'
import { BackupError } from './reasons.ts'

/** The backup jobs of this process, by name. They are not durable: a restarted process knows none of them. */
export interface BackupJobs {
  /** Does nothing if a job of that name runs or is done. `run` resolves with the final state, and never rejects. */
  begin(name: string, run: (job: RunningJob) => Promise<BackupObservation>): void
  observe(name: string): BackupObservation
  /** Ends a running job, and resolves when it has ended. */
  end(name: string, reason: string): Promise<void>
  /** Records this final state as if a job had ended with it. */
  note(name: string, ended: BackupObservation): void
  /** Ends a running job, and remembers nothing of it. */
  forget(name: string): void
  /** Ends all jobs; no further one begins. */
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

/** So many ended jobs are remembered. */
const maxEnded = 1_000

/** `ended` is called for every job that finished or was ended. */
export function createBackupJobs(ended: (name: string) => void): BackupJobs {
  const jobs = new Map<string, Job>()
  const closing = new AbortController()

  async function follow(name: string, job: Job, run: (job: RunningJob) => Promise<BackupObservation>) {
    const { signal } = job.end
    const tell = (state: BackupObservation) => {
      job.state = state
    }
    // Once the state is final, the job may begin anew.
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

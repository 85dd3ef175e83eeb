import type { Clock } from './clock.ts'
import { endsWithin, type Log } from './running.ts'

export interface ShutdownTask {
  name: string
  /** The signal aborts when the phase's time is up. */
  run(signal: AbortSignal): Promise<void> | void
}

/** Tasks of one phase run side by side; the next phase begins when all have ended or the time is up. */
export interface ShutdownPhase {
  name: string
  limitMs: number
  /** The phase is waited for even after `hurry` has aborted. */
  isVital?: boolean
  tasks: readonly ShutdownTask[]
}

export interface ShutdownReport {
  timedOut: { phase: string; task: string }[]
  failed: { phase: string; task: string; error: unknown }[]
}

/**
 * Runs the phases in order. Never rejects, and never takes longer than the limits together: a task that fails
 * or hangs is logged and abandoned, so that the later phases still run. When `hurry` aborts, only vital phases
 * are still waited for.
 */
export async function shutdown(
  phases: readonly ShutdownPhase[],
  { clock, log, hurry }: { clock: Clock; log: Log; hurry?: AbortSignal },
): Promise<ShutdownReport> {
  const report: ShutdownReport = { timedOut: [], failed: [] }
  for (const phase of phases) {
    log.info({ phase: phase.name, limitMs: phase.limitMs }, 'shutdown phase begins')
    const timeUp = new AbortController()
    const open = new Set(phase.tasks)
    const runs = phase.tasks.map(async (task) => {
      try {
        await task.run(timeUp.signal)
      } catch (error) {
        // After the limit, the task is already reported as timed out.
        if (timeUp.signal.aborted) return
        report.failed.push({ phase: phase.name, task: task.name, error })
        log.error({ phase: phase.name, task: task.name, err: error }, 'shutdown task failed')
      } finally {
        open.delete(task)
      }
    })
    if (await endsWithin(clock, phase.limitMs, Promise.all(runs), phase.isVital ? undefined : hurry)) continue
    for (const task of open) {
      report.timedOut.push({ phase: phase.name, task: task.name })
      log.error({ phase: phase.name, task: task.name }, 'shutdown task took too long, going on without it')
    }
    timeUp.abort()
  }
  return report
}

import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/running.ts'
import { type ShutdownPhase, shutdown } from '../lib/shutdown.ts'
import type { WorkQueue } from '../lib/work-queue.ts'
import { createDriver, type Driver } from '../reconcile/driver.ts'
import { createHint } from '../reconcile/hints.ts'
import type { GaugeSpec } from '../telemetry/metrics.ts'
import type { Part, StopPhase } from './part.ts'

/** Many parts, run as one. */
export interface Joined {
  wake: Driver['wake']
  readonly gauges: readonly GaugeSpec[]
  /** Starts the parts in their order, then their loops. */
  start(): Promise<void>
  /** Never rejects; the phases and their limits are in `phases`. */
  stop(hurry?: AbortSignal): Promise<void>
}

/** Requests end before the loops that serve them, and everything ends before the store that it writes to. */
const phases: readonly (Pick<ShutdownPhase, 'limitMs' | 'isVital'> & { name: StopPhase })[] = [
  { name: 'requests', limitMs: 10_000 },
  { name: 'loops', limitMs: 15_000 },
  { name: 'jobs', limitMs: 15_000 },
  { name: 'engine', limitMs: 60_000, isVital: true },
  { name: 'store', limitMs: 5_000 },
]

export function joinParts(
  parts: readonly Part[],
  { work, clock, log, owner }: { work: WorkQueue; clock: Clock; log: Log; owner: string },
): Joined {
  const loops = parts.flatMap((part) => part.loops ?? [])
  const driver = createDriver({ work, loops, clock, log, owner, paceMs: 20 })
  const hint = createHint({ work, wake: driver.wake, log })
  const reconcile = createReconcilePart(driver, log)
  const all = [...parts, reconcile]
  let endHints: (() => void)[] = []

  return {
    wake: driver.wake,
    gauges: all.flatMap((part) => part.gauges ?? []),
    async start() {
      endHints = parts.flatMap((part) => part.hints?.(hint) ?? [])
      for (const part of all) await part.start?.()
    },
    async stop(hurry) {
      const tasksOf = (phase: StopPhase) =>
        all.flatMap(({ name, stop }) => {
          const run = stop?.[phase]
          return run ? [{ name, run: () => run(hurry) }] : []
        })
      const hints = { name: 'hints', run: stopHints }
      await shutdown(
        phases.map((phase) => ({
          ...phase,
          tasks: phase.name === 'loops' ? [hints, ...tasksOf('loops')] : tasksOf(phase.name),
        })),
        { clock, log, ...(hurry ? { hurry } : {}) },
      )
    },
  }

  function stopHints(): void {
    for (const end of endHints) end()
  }
}

/** The loops of all parts, as one more part, which starts last. */
function createReconcilePart(driver: Driver, log: Log): Part {
  const running = new AbortController()
  let working: Promise<void> = Promise.resolve()
  return {
    name: 'reconcile',
    gauges: (['running', 'runs', 'failures', 'terminal', 'stuck'] as const).map((name) => ({
      name: `granary_reconcile_${name}`,
      help: `Reconcile loops: ${name}, by kind of resource.`,
      labels: ['kind'],
      read: () =>
        Object.entries(driver.status()).map(([kind, status]) => ({ labels: { kind }, value: status[name] })),
    })),
    async start() {
      working = driver
        .run(running.signal)
        .catch((error: unknown) => log.error({ err: error }, 'the loops ended'))
    },
    stop: {
      async loops() {
        await driver.stop()
        running.abort()
        await working
      },
    },
  }
}

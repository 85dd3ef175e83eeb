import { decidePipe } from '../domain/pipe/decide.ts'
import type { PipeState, PipeStatus } from '../domain/pipe/types.ts'
import { isElsewhere } from '../domain/service/holder.ts'
import type { Clock } from '../lib/clock.ts'
import type { Claim } from '../lib/work-queue.ts'
import type { PipeRuntime } from '../pipes/runtime.ts'
import type { PipeRecord, Store } from '../store/store.ts'
import { type StateChange, writeWithActivity } from './audit.ts'
import type { HistoryRecorder } from './history.ts'
import type { Loop, RunResult } from './loop.ts'

const pollMs = 1_000
/**
 * How often a running pipe is looked at even without a hint, since hints may be lost: after as long as it has been in
 * its state, within these limits.
 */
const look = { leastMs: 60_000, mostMs: 300_000 }
/** Long enough for the other data plane to take the pipe's work. */
const elsewhereMs = 1_000

/** Brings pipes to their desired state. Without a runtime no pipe runs, and its reason says so. */
export function createPipeLoop({
  store,
  runtime,
  dataPlaneId,
  clock,
  history,
}: {
  store: Store
  /** null = this build cannot run pipes. */
  runtime: PipeRuntime | null
  /** This data plane; '' = there is only one. */
  dataPlaneId: string
  clock: Clock
  /** Absent = nothing is recorded. */
  history?: Pick<HistoryRecorder, 'pipe'>
}): Loop {
  return {
    kind: 'pipe',
    async reconcile(id, { claim }) {
      const pipe = await store.pipes.find(id)
      if (!pipe) return end(id)
      const service = await store.services.find(pipe.serviceId)
      if (!service) return { reason: 'the service of the pipe no longer exists', gone: true }
      if (isElsewhere(service, dataPlaneId))
        return { reason: 'another data plane runs the pipe', againAfterMs: elsewhereMs }
      const observed = runtime ? await runtime.observe(id) : 'no-runtime'
      const decision = decidePipe({ ...pipe, serviceState: service.status.state, observed })
      if (pipe.deleting && decision.action === 'none') {
        const change = changeOf(pipe, 'pipe_deleted', '', decision.reason)
        await writeWithActivity({ store, clock }, change, ({ pipes }) => pipes.remove(id, claim))
        return { reason: decision.reason, gone: true }
      }
      if (runtime && decision.action === 'destroy')
        await runtime.destroy(id, { ...pipe, secrets: await store.pipes.secrets(id) })
      if (runtime && decision.action === 'apply')
        await runtime.apply({ ...pipe, secrets: await store.pipes.secrets(id) })
      const { state, reason } = decision
      const since = state === pipe.status.state ? pipe.status.since : clock.now()
      const next: PipeStatus = { ...pipe.status, state, reason, since, observedGeneration: pipe.generation }
      if (JSON.stringify(next) !== JSON.stringify(pipe.status)) await saveStatus(pipe, next, claim)
      history?.pipe(pipe)
      if (decision.action !== 'none') return { reason, againAfterMs: pollMs }
      if (!runtime || !runs.has(state)) return { reason }
      return { reason, againAfterMs: Math.min(look.mostMs, Math.max(look.leastMs, clock.now() - since)) }
    },
    async failed(id, { claim }, { reason, terminal }) {
      const pipe = await store.pipes.find(id)
      if (!pipe) return
      const { status } = pipe
      const failed = { state: 'Failed' as const, since: clock.now() }
      await saveStatus(pipe, { ...status, ...(terminal ? failed : {}), reason }, claim)
    },
  }

  function saveStatus(pipe: PipeRecord, next: PipeStatus, claim: Claim): Promise<void> {
    const change = changeOf(pipe, 'pipe_state', next.state, next.reason)
    return writeWithActivity({ store, clock }, change, ({ pipes }) => pipes.saveStatus(pipe, next, claim))
  }

  /** The pipe's record was removed with its service: ends what still runs of the pipe. */
  async function end(id: string): Promise<RunResult> {
    const observed = runtime ? await runtime.observe(id) : null
    if (!runtime || (observed?.known && observed.state === 'absent'))
      return { reason: 'the pipe no longer exists', gone: true }
    await runtime.destroy(id)
    return { reason: 'what is left of the pipe is being ended', againAfterMs: pollMs }
  }
}

/** States that a pipe leaves by itself. */
const runs: ReadonlySet<PipeState> = new Set(['Running', 'Degraded'])

const changeOf = (
  pipe: PipeRecord,
  type: StateChange['type'],
  after: string,
  reason: string,
): StateChange => ({
  type,
  organizationId: pipe.organizationId,
  serviceId: pipe.serviceId,
  resourceId: pipe.id,
  before: pipe.status.state,
  after,
  reason,
})

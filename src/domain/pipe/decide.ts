import type { ServiceState } from '../service/types.ts'
import type { SourceKind } from './limits.ts'
import { kindOf } from './rules.ts'
import { haltedState, haltingState } from './transitions.ts'
import type { PipeSpec, PipeState, PipeStatus } from './types.ts'

/** What a pipe runtime reports about one pipe. `known: false` = the runtime cannot tell at the moment. */
export type PipeObservation =
  | { known: false }
  | {
      known: true
      state:
        | 'absent'
        | 'setup'
        | 'snapshot'
        | 'running'
        | 'degraded'
        | 'stopping'
        | 'stopped'
        | 'completed'
        | 'failed'
      /** The generation of the spec that the runtime works by. */
      generation: number
      reason: string
    }

export interface PipeSituation {
  spec: PipeSpec
  generation: number
  deleting: boolean
  status: PipeStatus
  serviceState: ServiceState
  observed: PipeObservation | 'no-runtime'
}

/**
 * `apply` hands the spec to the runtime (also for stopped pipes), `destroy` has the runtime remove all of the
 * pipe but its tables, `wait` looks again soon, `none` means settled. While deleting, `none` says that the
 * record may go.
 */
export interface PipeDecision {
  action: 'none' | 'apply' | 'destroy' | 'wait'
  state: PipeState
  reason: string
}

export function decidePipe(situation: PipeSituation): PipeDecision {
  if (situation.deleting) return decideDeletion(situation)
  return situation.spec.desired === 'stopped' ? decideStopped(situation) : decideRunning(situation)
}

function decideDeletion({ spec, status, observed }: PipeSituation): PipeDecision {
  const kind = kindOf(spec.source)
  if (observed === 'no-runtime') return none(haltedState(kind), 'nothing of the pipe is left')
  if (!observed.known) return wait(status.state, unknownText)
  if (observed.state === 'absent') return none(haltedState(kind), 'nothing of the pipe is left')
  const reason = 'the pipe is being deleted'
  if (observed.state === 'stopping') return wait(haltingState(kind), reason)
  return { action: 'destroy', state: haltingState(kind), reason }
}

function decideStopped({ spec, status, observed }: PipeSituation): PipeDecision {
  const kind = kindOf(spec.source)
  if (observed === 'no-runtime') return none(haltedState(kind), 'stopped on request')
  if (!observed.known) return wait(status.state, unknownText)
  switch (observed.state) {
    case 'absent':
    case 'stopped':
      // If the spec changed while the pipe was stopped, the runtime gets it when the pipe starts again.
      return none(haltedState(kind), ['stopped on request', observed.reason].filter(Boolean).join('; '))
    case 'failed':
      return none(haltedState(kind), observed.reason)
    case 'completed':
      return none('Completed', observed.reason)
    case 'stopping':
      return wait(haltingState(kind), 'the last batch is being finished')
    default:
      return apply(haltingState(kind), 'stop was requested')
  }
}

function decideRunning(situation: PipeSituation): PipeDecision {
  const { spec, generation, status, serviceState, observed } = situation
  const kind = kindOf(spec.source)
  // Until a runtime has taken the spec, a requested resync stays visible as `Resync`.
  const starting: PipeState = status.state === 'Resync' ? 'Resync' : 'Provisioning'
  if (observed === 'no-runtime') return none(starting, 'no engine runs here, and without one no pipe does')
  if (!observed.known) return wait(status.state, unknownText)
  const current = observed.generation >= generation
  if (observed.state === 'completed' && current) return none('Completed', observed.reason)
  if (!usable.has(serviceState)) {
    const begun = ['running', 'degraded', 'snapshot'].includes(observed.state)
    const reason = `the service is ${serviceState}; the pipe goes on when it runs`
    return wait(begun ? 'Degraded' : starting, reason)
  }
  if (observed.state === 'stopping') return wait(starting, 'the pipe starts once it has come to a stop')
  if (!current) return applyNewer(situation, starting)
  switch (observed.state) {
    case 'setup':
    case 'snapshot':
      return wait(loadingState(kind, observed.state, status.state), observed.reason)
    case 'running':
      return none('Running', observed.reason)
    case 'degraded':
      return none('Degraded', observed.reason)
    case 'failed':
      // The runtime has given up on this generation; a start command raises the generation.
      return none('Failed', observed.reason)
    default:
      return apply(
        starting,
        observed.state === 'absent' ? 'the pipe is being set up' : 'the pipe is starting',
      )
  }
}

/** A pipe that runs or has completed keeps its state while it takes a changed spec; others start over. */
function applyNewer({ status }: PipeSituation, starting: PipeState): PipeDecision {
  const keeps: readonly PipeState[] = ['Setup', 'Snapshot', 'Running', 'Degraded', 'Completed']
  return apply(keeps.includes(status.state) ? status.state : starting, 'a change is being applied')
}

/** Only database pipes show the steps of their first load; a resync shows as one until it has ended. */
function loadingState(kind: SourceKind, observed: 'setup' | 'snapshot', shown: PipeState): PipeState {
  if (kind !== 'postgres') return observed === 'setup' ? 'Provisioning' : 'Running'
  if (shown === 'Resync') return 'Resync'
  return observed === 'setup' ? 'Setup' : 'Snapshot'
}

/** An idle service counts as usable: the first insert wakes it. */
const usable: ReadonlySet<ServiceState> = new Set([
  'running',
  'idle',
  'awaking',
  'degraded',
  'partially_running',
])

const unknownText = 'the pipe runtime has not reported yet'
const none = (state: PipeState, reason: string): PipeDecision => ({ action: 'none', state, reason })
const wait = (state: PipeState, reason: string): PipeDecision => ({ action: 'wait', state, reason })
const apply = (state: PipeState, reason: string): PipeDecision => ({ action: 'apply', state, reason })

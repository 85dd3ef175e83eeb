import { enginePower } from './automatic.ts'
import type { ServiceRecord, ServiceState, ServiceStatus } from './types.ts'

/** What the engine reports about a service, as far as the decision needs it. */
export interface ObservedService {
  acceptedGeneration: number
  settledGeneration: number
  power: 'on' | 'off' | 'idle' | 'turning_on' | 'turning_off' | 'absent' | 'unknown'
  replicas: readonly { canRead: boolean }[]
  problem: { message: string; retryable: boolean } | null
  progress: string
}

/**
 * `apply` hands the spec to the engine, `destroy` has the engine remove everything, `forget` removes the record
 * because nothing is left, `wait` looks again soon, `none` means settled until the next intent.
 */
export interface ServiceDecision {
  action: 'apply' | 'destroy' | 'forget' | 'wait' | 'none'
  state: ServiceState
  reason: string
}

export function decideService(
  { spec, status, generation }: Pick<ServiceRecord, 'spec' | 'status' | 'generation'>,
  observed: ObservedService,
): ServiceDecision {
  if (spec.deleting) return decideDeletion(observed)
  if (observed.power === 'unknown') {
    return { action: 'wait', state: status.state, reason: 'the engine cannot tell at the moment' }
  }
  // The service is off, and the engine has nothing to stop.
  if (spec.power === 'off' && (observed.power === 'absent' || observed.power === 'off')) {
    return { action: 'none', state: 'stopped', reason: 'stopped on request' }
  }
  const power = enginePower(spec)
  if (observed.acceptedGeneration < generation) {
    const changing = power === 'off' ? 'stopping' : power === 'idle' ? 'idle' : upState(observed, status)
    return { action: 'apply', state: changing, reason: 'a change is being handed to the engine' }
  }
  if (observed.problem && !observed.problem.retryable) {
    return { action: 'none', state: 'failed', reason: observed.problem.message }
  }
  if (power === 'off') {
    return {
      action: 'wait',
      state: 'stopping',
      reason: observed.progress || 'running queries are being finished',
    }
  }
  if (power === 'idle' && observed.power !== 'idle') {
    return { action: 'wait', state: 'idle', reason: observed.progress || 'it is going to sleep' }
  }
  return decideRunning(observed, spec.numReplicas, generation, status)
}

function decideDeletion(observed: ObservedService): ServiceDecision {
  if (observed.power === 'absent')
    return { action: 'forget', state: 'terminating', reason: 'nothing is left of it' }
  return {
    action: 'destroy',
    state: 'terminating',
    reason: observed.progress || 'processes and data are being removed',
  }
}

function decideRunning(
  observed: ObservedService,
  wantedReplicas: number,
  generation: number,
  status: ServiceStatus,
): ServiceDecision {
  const { power, progress, problem } = observed
  if (power === 'idle') return { action: 'none', state: 'idle', reason: 'no query for the idle timeout' }
  const serving = observed.replicas.filter((replica) => replica.canRead).length
  if (power !== 'on' || serving === 0) {
    const reason = problem?.message || progress || 'replicas are starting'
    return { action: 'wait', state: upState(observed, status), reason }
  }
  if (observed.settledGeneration < generation) {
    return { action: 'wait', state: 'running', reason: progress || 'a change is being applied' }
  }
  if (serving < wantedReplicas) {
    return {
      action: 'wait',
      state: 'partially_running',
      reason: `${serving} of ${wantedReplicas} replicas serve`,
    }
  }
  if (problem) return { action: 'wait', state: 'degraded', reason: problem.message }
  return { action: 'none', state: 'running', reason: 'all replicas serve' }
}

function upState(observed: ObservedService, { state, provisioned }: ServiceStatus): ServiceState {
  if (observed.replicas.some((replica) => replica.canRead)) return 'running'
  if (state === 'idle' || state === 'awaking') return 'awaking'
  return provisioned ? 'starting' : 'provisioning'
}

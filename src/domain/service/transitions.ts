import { type ServiceSpec, type ServiceState, type ServiceStatus, serviceStates } from './types.ts'

/** A service that is being deleted accepts no further command. */
const alive = serviceStates.filter((state) => state !== 'terminating')

/**
 * Which actions a service accepts in which state. The API answers 409 from this table and clients grey their
 * buttons from it. A command that would change nothing is accepted.
 */
export const serviceActions: Record<'start' | 'stop' | 'change' | 'delete', readonly ServiceState[]> = {
  start: alive,
  stop: alive,
  change: alive,
  delete: ['stopped', 'failed'],
}

/** States in which traffic neither finds the service nor wakes it, and it is not coming up either. */
const unusable: ReadonlySet<ServiceState> = new Set(['stopped', 'stopping', 'failed', 'terminating'])

export const isUsable = (state: ServiceState): boolean => !unusable.has(state)

export type ServiceAction = keyof typeof serviceActions

export const serviceCommands = ['start', 'stop'] as const
export type ServiceCommand = (typeof serviceCommands)[number]

export function isAllowed(action: ServiceAction, state: ServiceState): boolean {
  return serviceActions[action].includes(state)
}

/** The new spec and the state to show at once, or null when the command changes nothing. */
export function applyCommand(
  command: ServiceCommand,
  spec: ServiceSpec,
  status: ServiceStatus,
  nowMs: number,
): { spec: ServiceSpec; status: ServiceStatus } | null {
  const power = command === 'start' ? 'on' : 'off'
  const failed = status.state === 'failed'
  if (spec.power === power && !(command === 'start' && failed)) return null
  const state: ServiceState =
    command === 'stop' ? 'stopping' : status.provisioned ? 'starting' : 'provisioning'
  const reason = command === 'stop' ? 'stop was requested' : 'start was requested'
  // A start also wakes a sleeping service.
  const awake = spec.automatic ? { automatic: { ...spec.automatic, asleep: false } } : {}
  return { spec: { ...spec, power, ...awake }, status: { ...status, state, reason, sinceMs: nowMs } }
}

import { type ServiceSpec, type ServiceState, type ServiceStatus, serviceStates } from './types.ts'

/** What is being deleted takes nothing more. */
const alive = serviceStates.filter((state) => state !== 'terminating')

/**
 * What may be asked of a service in which state. The API answers 409 from this table and clients grey their
 * buttons from it. A command that finds its wish already true is accepted and changes nothing.
 */
export const serviceActions: Record<'start' | 'stop' | 'change' | 'delete', readonly ServiceState[]> = {
  start: alive,
  stop: alive,
  change: alive,
  delete: ['stopped', 'failed'],
}

export type ServiceAction = keyof typeof serviceActions

export const serviceCommands = ['start', 'stop'] as const
export type ServiceCommand = (typeof serviceCommands)[number]

export function isAllowed(action: ServiceAction, state: ServiceState): boolean {
  return serviceActions[action].includes(state)
}

/** The spec and the state to show at once, or null when the command finds its wish already true. */
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
  // Whoever starts it wants it awake.
  const awake = spec.automatic ? { automatic: { ...spec.automatic, asleep: false } } : {}
  return { spec: { ...spec, power, ...awake }, status: { ...status, state, reason, sinceMs: nowMs } }
}

import { isRestoring } from './restore.ts'
import { applyCommand, isAllowed } from './transitions.ts'
import type { ServiceRecord } from './types.ts'

/** What a person can do with a service as a whole. */
export const shownServiceCommands = ['start', 'stop', 'backUp', 'cancelRestore', 'delete'] as const
export type ShownServiceCommand = (typeof shownServiceCommands)[number]

/** The commands that do something now; for each other one, the reason why it is refused or does nothing. */
export interface ServiceCommands {
  commands: ShownServiceCommand[]
  commandReasons: { [C in ShownServiceCommand]?: string }
}

export const onlyPrimariesHaveBackups = 'only the primary service of a warehouse has backups'
export const isNotRestored = 'it is not being restored'
export const primaryIsDeletedLast =
  'the primary service of a warehouse is deleted last: delete its other services first'

/** `hasSecondaries` = the warehouse has other services; it matters for a primary that `mayEnd` only. */
export function commandsOfService(service: ServiceRecord, hasSecondaries: boolean): ServiceCommands {
  const commands: ShownServiceCommand[] = []
  const commandReasons: ServiceCommands['commandReasons'] = {}
  for (const command of shownServiceCommands) {
    const reason = reasonAgainst[command](service, hasSecondaries)
    if (reason === null) commands.push(command)
    else commandReasons[command] = sentence(reason)
  }
  return { commands, commandReasons }
}

/** Whether only the other services of its warehouse may keep the service from its end. */
export const mayEnd = (service: ServiceRecord): boolean => isDeletable(service) || isRestoring(service)

const isDeletable = ({ status }: ServiceRecord): boolean => isAllowed('delete', status.state)

const reasonAgainst: Record<
  ShownServiceCommand,
  (service: ServiceRecord, hasSecondaries: boolean) => string | null
> = {
  start: (service) => whyNot('start', service),
  stop: (service) => whyNot('stop', service),
  backUp(service) {
    if (!isAllowed('change', service.status.state)) return ending
    return service.isPrimary ? null : onlyPrimariesHaveBackups
  },
  cancelRestore(service, hasSecondaries) {
    if (service.spec.deleting) return ending
    if (!isRestoring(service)) return isNotRestored
    return hasSecondaries ? primaryIsDeletedLast : null
  },
  delete(service, hasSecondaries) {
    if (service.spec.deleting) return ending
    if (!isDeletable(service))
      return `only a stopped or failed service is deleted: ${isRestoring(service) ? 'cancel its restore' : 'stop it first'}`
    return service.isPrimary && hasSecondaries ? primaryIsDeletedLast : null
  },
}

const ending = 'it is being deleted'

function whyNot(command: 'start' | 'stop', { spec, status }: ServiceRecord): string | null {
  const { state } = status
  if (!isAllowed(command, state)) return ending
  if (applyCommand(command, spec, status, 0) !== null) return null
  if (command === 'stop') return state === 'stopping' ? 'it is stopping already' : 'it is stopped already'
  if (state === 'idle') return 'it sleeps, and the next query wakes it'
  return state === 'running' ? 'it runs already' : 'it is starting already'
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

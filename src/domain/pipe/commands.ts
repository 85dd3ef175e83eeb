import { isUsable } from '../service/transitions.ts'
import type { ServiceState } from '../service/types.ts'
import { pipeCommands } from './limits.ts'
import { applyCommand } from './transitions.ts'
import type { PipeCommand, PipeSpec, PipeStatus } from './types.ts'

/** What a person can do with a pipe as a whole. */
export const shownPipeCommands = [...pipeCommands, 'delete'] as const
export type ShownPipeCommand = (typeof shownPipeCommands)[number]

/** The commands that do something now; for each other one, the reason why it is refused or does nothing. */
export interface PipeCommands {
  commands: ShownPipeCommand[]
  commandReasons: { [C in ShownPipeCommand]?: string }
}

/** A pipe that is being deleted does not exist for callers, so `delete` is always among the commands. */
export function commandsOfPipe(
  pipe: { spec: PipeSpec; status: PipeStatus },
  serviceState: ServiceState,
): PipeCommands {
  const commands: ShownPipeCommand[] = []
  const commandReasons: PipeCommands['commandReasons'] = {}
  for (const command of pipeCommands) {
    const reason = whyNot(command, pipe, serviceState)
    if (reason === null) commands.push(command)
    else commandReasons[command] = reason
  }
  return { commands: [...commands, 'delete'], commandReasons }
}

/** Whether a command needs a service that runs or can be woken. */
export const needsService = (command: PipeCommand): boolean => command !== 'stop'

function whyNot(
  command: PipeCommand,
  { spec, status }: { spec: PipeSpec; status: PipeStatus },
  serviceState: ServiceState,
): string | null {
  const result = applyCommand(spec, status, command)
  if (result.outcome === 'invalid') return result.issues[0]?.message ?? ''
  if (result.outcome === 'conflict') return result.message
  if (!result.changed) return command === 'stop' ? 'It is stopped already.' : 'It is started already.'
  if (needsService(command) && !isUsable(serviceState)) return `Its service is ${serviceState}.`
  return null
}

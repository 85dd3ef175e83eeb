import type { Result } from '../../api/operations.ts'
import { serviceLooks } from '../../kit/states.ts'

type Service = Pick<Result<'services.get'>, 'state'>

/** What the state of a service takes; a text says why it does not, null that it does. */
export interface ServiceCommands {
  start: string | null
  stop: string | null
  remove: string | null
}

const startable: readonly string[] = ['stopped', 'failed']
const stoppable: readonly string[] = ['running', 'idle', 'degraded', 'partially_running', 'failed']

export function commandsOf({ state }: Service): ServiceCommands {
  const word = serviceLooks[state].word.toLowerCase()
  return {
    start: startable.includes(state) ? null : `It is ${word}.`,
    stop: stoppable.includes(state) ? null : `It is ${word}.`,
    remove: startable.includes(state) ? null : 'Only a stopped service is deleted: stop it first.',
  }
}

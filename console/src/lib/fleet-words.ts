import type { Result } from '../api/operations.ts'
import { counted } from './words.ts'

type Service = Pick<Result<'services.get'>, 'state' | 'restoredFromBackupId'>

/** In the order of the sentence: what it says of one, and of many. */
const groups: readonly [holds: (service: Service) => boolean, one: string, many: string][] = [
  [({ state }) => state === 'running', 'runs', 'run'],
  [({ state }) => state === 'idle', 'sleeps', 'sleep'],
  [isRestored, 'is being restored', 'are being restored'],
  [({ state }) => ['provisioning', 'starting', 'awaking'].includes(state), 'starts', 'start'],
  [({ state }) => state === 'stopping', 'stops', 'stop'],
  [({ state }) => state === 'stopped', 'is stopped', 'are stopped'],
  [({ state }) => state === 'terminating', 'is being deleted', 'are being deleted'],
]

/** `6 services: 2 run, 1 sleeps, 1 is being restored, 1 is stopped`; what needs a person is said beside it. */
export function fleetWords(services: readonly Service[]): string {
  const rest = new Set(services)
  const parts: string[] = []
  for (const [holds, one, many] of groups) {
    const found = [...rest].filter(holds)
    for (const service of found) rest.delete(service)
    if (found.length > 0) parts.push(`${found.length} ${found.length === 1 ? one : many}`)
  }
  const all = counted(services.length, 'service')
  return parts.length === 0 ? all : `${all}: ${parts.join(', ')}`
}

function isRestored({ state, restoredFromBackupId }: Service): boolean {
  return state === 'provisioning' && restoredFromBackupId !== ''
}

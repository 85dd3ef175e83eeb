import type { ResultOf } from '../../api/operations.ts'
import type { Form } from '../output.ts'
import { fullTime, relativeTime } from '../units.ts'
import { explained, onlyOnce, stateCell, yesNo } from './state.ts'

export type Service = ResultOf<'services.get'>

export function servicesTable(form: Form, services: readonly Service[]): string {
  if (services.length === 0) return 'no services yet: granary services create --name <name>'
  const headings = ['NAME', 'STATE', 'REPLICAS', 'MEMORY', 'ENDPOINT', 'CREATED', 'ID']
  const rows = services.map((service) => [
    service.name,
    stateCell(service.state),
    `${service.currentScaling.numReplicas}/${service.numReplicas}`,
    memory(service),
    endpoints(service)[0] ?? '',
    relativeTime(service.createdAt, form.nowMs),
    service.id,
  ])
  return form.table(headings, rows)
}

export function serviceBlock(form: Form, service: Service): string {
  const { currentScaling: current } = service
  return form.block([
    ['id', service.id],
    ['name', service.name],
    ['state', explained(service.state, service.stateReason)],
    ['wanted', service.desiredState === service.state ? '' : service.desiredState],
    ['endpoint', endpoints(service)],
    ['user', service.endpoints[0]?.username ?? ''],
    ['tier', service.tier],
    ['version', service.dbVersion],
    ['memory', `${memory(service)} per replica${nowOf(current.replicaMemoryGb, ' GB')}`],
    ['replicas', `${service.numReplicas}${nowOf(current.numReplicas, '')}`],
    ['idle scaling', service.idleScaling ? `after ${service.idleTimeoutMinutes} min` : 'off'],
    [
      'access',
      service.ipAccessList.length > 0 ? service.ipAccessList.map(ipEntry) : 'nobody: the list is empty',
    ],
    ['tags', service.tags.map(({ key, value }) => `${key}=${value}`)],
    ['warehouse', `${service.dataWarehouseId}${service.isPrimary ? ' (primary)' : ''}`],
    ['read-only', service.isReadonly ? yesNo(true) : ''],
    ['inserts', service.durableInserts ? '' : 'acknowledged before they are on the disk'],
    ['restored from', service.restoredFromBackupId],
    ['created', fullTime(service.createdAt, form.nowMs)],
  ])
}

/** With the password, which no later answer has. */
export function newServiceBlock(
  form: Form,
  { service, password }: { service: Service; password: string },
): string {
  const secret = form.block([['password', password]])
  return `${serviceBlock(form, service)}\n\n${secret}\n\n${onlyOnce}`
}

/** The service's state in one line, shown after a command. */
export const serviceLine = ({ name, id, state, stateReason }: Service): string =>
  `service ${name} (${id}) is ${state}${stateReason ? `: ${stateReason}` : ''}`

export const ipEntry = ({ source, description }: { source: string; description: string }): string =>
  description ? `${source} (${description})` : source

function memory({ minReplicaMemoryGb: min, maxReplicaMemoryGb: max }: Service): string {
  return min === max ? `${min} GB` : `${min}–${max} GB`
}

const nowOf = (amount: number, unit: string): string => `, now ${amount === 0 ? 'none' : `${amount}${unit}`}`

const endpoints = (service: Service): string[] =>
  service.endpoints.map(({ protocol, host, port }) => {
    return `${protocol}://${host.includes(':') ? `[${host}]` : host}:${port}`
  })

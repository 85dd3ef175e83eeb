/** Commands of the command line that do what forms of a service send. */
import { quoted } from './call-text.ts'

interface SizeBody {
  minReplicaMemoryGb?: number | null
  maxReplicaMemoryGb?: number | null
  numReplicas?: number | null
  idleScaling?: boolean
  idleTimeoutMinutes?: number | null
}

interface NewServiceBody extends SizeBody {
  name: string
  tier: string
  ipAccessList: readonly { source: string }[]
  backupId?: string
}

export function createCommand({ name, tier, ipAccessList, backupId, ...size }: NewServiceBody): string {
  return [
    `granary services create --name ${quoted(name)}`,
    ...(tier === 'production' ? [] : [`--tier ${tier}`]),
    ...sizeOptions(size),
    ...ipAccessList.map(({ source }) => `--ip ${quoted(source)}`),
    ...(backupId === undefined ? [] : [`--backup ${backupId}`]),
  ].join(' ')
}

export const scaleCommand = (serviceId: string, size: SizeBody): string =>
  [`granary services scale ${serviceId}`, ...sizeOptions(size)].join(' ')

function sizeOptions(size: SizeBody): string[] {
  const { minReplicaMemoryGb, maxReplicaMemoryGb, numReplicas, idleScaling, idleTimeoutMinutes } = size
  const option = (name: string, value: number | null | undefined) =>
    value === null || value === undefined ? [] : [`--${name} ${value}`]
  return [
    ...option('min-memory', minReplicaMemoryGb),
    ...option('max-memory', maxReplicaMemoryGb),
    ...option('replicas', numReplicas),
    ...(idleScaling === undefined ? [] : [idleScaling ? '--idle' : '--no-idle']),
    ...option('idle-timeout', idleTimeoutMinutes),
  ]
}

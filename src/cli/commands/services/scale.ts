import type { CommandDefinition } from '../../command.ts'
import { usageError } from '../../failure.ts'
import { type Service, serviceId } from '../../lookup.ts'
import { defined, numberOption, type ScalingFlags, scalingBody, scalingOptions } from '../../options.ts'
import type { Session } from '../../session.ts'
import { serviceBlock } from '../../show/service.ts'
import { serviceOperand } from './operand.ts'

interface Flags extends ScalingFlags {
  minTotalMemory?: number
  maxTotalMemory?: number
}

export const servicesScale: CommandDefinition = {
  name: 'scale',
  summary: 'Change memory, replicas and idling of a service',
  details: 'What is not given keeps its value.',
  operands: [serviceOperand],
  options: [
    ...scalingOptions,
    numberOption('--min-total-memory <gb>', 'deprecated: three times the bound per replica'),
    numberOption('--max-total-memory <gb>', 'deprecated: three times the bound per replica'),
  ],
  examples: [
    'granary services scale analytics --min-memory 16 --max-memory 64',
    'granary services scale analytics --replicas 3 --idle --idle-timeout 30',
  ],
  async run(session, { service }: { service: string }, flags: Flags) {
    const changed = await scale(session, service, flags)
    session.output.result(changed, (form) => serviceBlock(form, changed))
  },
}

async function scale(session: Session, service: string, flags: Flags): Promise<Service> {
  const { client, signal } = session
  const perReplica = scalingBody(flags)
  const totals = defined({ minTotalMemoryGb: flags.minTotalMemory, maxTotalMemoryGb: flags.maxTotalMemory })
  const isTotal = Object.keys(totals).length > 0
  if (isTotal && (flags.minMemory !== undefined || flags.maxMemory !== undefined)) {
    throw usageError('give the memory per replica or in total, not both')
  }
  if (!isTotal && Object.keys(perReplica).length === 0) throw usageError('say what to change: see --help')
  const params = { serviceId: await serviceId(session, service) }
  if (!isTotal) return client.call('services.updateReplicaScaling', { params, body: perReplica, signal })
  // The two forms are two operations; this one takes no memory per replica, and there is none here.
  const { minReplicaMemoryGb: _min, maxReplicaMemoryGb: _max, ...horizontal } = perReplica
  return client.call('services.updateScaling', { params, body: { ...horizontal, ...totals }, signal })
}

import { Option } from 'commander'
import type { CommandDefinition } from '../../command.ts'
import { usageError } from '../../failure.ts'
import { serviceId } from '../../lookup.ts'
import { defined, durableInsertsOptions, parseIps, parseTags, repeatedOption } from '../../options.ts'
import { serviceBlock } from '../../show/service.ts'
import { serviceOperand } from './operand.ts'

interface Flags {
  name?: string
  ip?: string[]
  addIp?: string[]
  removeIp?: string[]
  tag?: string[]
  clearTags?: true
  durableInserts?: boolean
}

export const servicesUpdate: CommandDefinition = {
  name: 'update',
  summary: 'Change name, access list, tags or durability of a service',
  operands: [serviceOperand],
  options: [
    new Option('--name <name>', 'its new name'),
    repeatedOption('--ip <source[=description]>', 'replaces the whole access list'),
    repeatedOption('--add-ip <source[=description]>', 'add to the access list'),
    repeatedOption('--remove-ip <source>', 'take from the access list'),
    repeatedOption('--tag <key=value>', 'replaces all labels'),
    ...durableInsertsOptions,
    new Option('--clear-tags', 'remove all labels').conflicts('tag'),
  ],
  examples: [
    'granary services update analytics --name reporting',
    'granary services update analytics --add-ip 10.1.2.3=build --remove-ip 0.0.0.0/0',
  ],
  async run(session, { service }: { service: string }, flags: Flags) {
    const { client, output, signal } = session
    const body = defined({
      name: flags.name,
      ipAccessList: accessList(flags),
      durableInserts: flags.durableInserts,
      tags: flags.clearTags ? [] : parseTags(flags.tag),
    })
    const params = { serviceId: await serviceId(session, service) }
    const changed = await client.call('services.update', { params, body, signal })
    output.result(changed, (form) => serviceBlock(form, changed))
  },
}

function accessList({ ip, addIp, removeIp }: Flags) {
  if (!addIp && !removeIp) return parseIps(ip)
  if (ip) throw usageError('--ip replaces the whole list: it cannot be combined with --add-ip or --remove-ip')
  return defined({ add: parseIps(addIp), remove: parseIps(removeIp) })
}

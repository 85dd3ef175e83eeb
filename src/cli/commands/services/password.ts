import { createHash } from 'node:crypto'
import { Option } from 'commander'
import type { CommandDefinition } from '../../command.ts'
import { usageError } from '../../failure.ts'
import type { CliIo } from '../../io.ts'
import { serviceId } from '../../lookup.ts'
import { onlyOnce } from '../../show/state.ts'
import { serviceOperand } from './operand.ts'

interface Flags {
  hash?: string
  stdin?: true
}

export const servicesPassword: CommandDefinition = {
  name: 'password',
  summary: 'Give a service a new password',
  details:
    'Makes one and shows it once, or takes one of your own; of that, only the hash leaves this machine.',
  operands: [serviceOperand],
  options: [
    new Option('--stdin', 'read the new password from standard input'),
    new Option('--hash <base64>', 'base64 of the SHA-256 of the new password').conflicts('stdin'),
  ],
  examples: [
    'granary services password analytics',
    'pass show analytics | granary services password analytics --stdin',
  ],
  async run(session, { service }: { service: string }, { hash, stdin }: Flags) {
    const { client, output, io, signal } = session
    const newPasswordHash = stdin ? await hashStdin(io) : hash
    const params = { serviceId: await serviceId(session, service) }
    const body = newPasswordHash === undefined ? {} : { newPasswordHash }
    const result = await client.call('services.resetPassword', { params, body, signal })
    output.result(result, (form) =>
      result.password === ''
        ? `service ${service} has the new password`
        : `${form.block([['password', result.password]])}\n\n${onlyOnce}`,
    )
  },
}

/** Of the first line: what follows it is the line end that tools add. */
async function hashStdin(io: CliIo): Promise<string> {
  const [password = ''] = new TextDecoder().decode(await io.readStdin()).split(/\r?\n/)
  if (password === '') throw usageError('standard input holds no password')
  return createHash('sha256').update(password).digest('base64')
}

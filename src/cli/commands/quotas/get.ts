import type { CommandDefinition } from '../../command.ts'
import { quotaBlock } from '../../show/organization.ts'

export const quotasGet: CommandDefinition = {
  name: 'get',
  summary: 'Show a quota',
  operands: [['<code>', 'code of the quota']],
  examples: ['granary quotas get services-per-organization'],
  async run({ client, output, signal }, { code }: { code: string }) {
    const found = await client.call('quotas.get', { params: { quotaCode: code }, signal })
    output.result(found, (form) => quotaBlock(form, found))
  },
}

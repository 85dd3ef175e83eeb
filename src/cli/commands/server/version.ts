import type { CommandDefinition } from '../../command.ts'

export const version: CommandDefinition = {
  name: 'version',
  summary: 'Show the version of this program; "status" shows that of the server',
  examples: ['granary version'],
  async run({ output, io }) {
    output.result({ version: io.version }, () => `granary ${io.version}`)
  },
}

import type { CommandDefinition, GroupDefinition } from '../command.ts'
import { completionScript, shells } from '../completion.ts'
import { globalOptions } from '../global-options.ts'

/** Made from the other commands, which it therefore takes. */
export function completionGroup(tree: readonly (CommandDefinition | GroupDefinition)[]): GroupDefinition {
  const flags = [...globalOptions.flatMap(({ long }) => (long ? [long] : [])), '--help']
  return {
    name: 'completion',
    summary: 'Scripts that complete commands and options in a shell',
    commands: shells.map((shell) => ({
      name: shell,
      summary: `Print the script for ${shell}`,
      examples: [places[shell]],
      async run({ output }) {
        const script = completionScript(shell, [...tree, completionGroup([])], flags)
        output.result(script, () => script)
      },
    })),
  }
}

const places = {
  bash: 'source <(granary completion bash)',
  zsh: 'source <(granary completion zsh)',
  fish: 'granary completion fish | source',
}

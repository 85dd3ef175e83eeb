import { Command } from 'commander'
import { type CommandDefinition, type GroupDefinition, isGroup } from './command.ts'
import { globalOptions } from './global-options.ts'
import type { GlobalFlags } from './settings.ts'
import { tree } from './tree.ts'

/** Called by the parser with a valid command line. */
export type Runner = (
  definition: CommandDefinition,
  operands: object,
  options: object,
  flags: GlobalFlags,
) => Promise<void>

export interface ProgramOutput {
  out(text: string): void
  /** Receives the parser's error messages. */
  error(text: string): void
}

const exitCodesHelp = `
Exit codes:
  0    done
  1    the API refused, or what was waited for did not come
  2    the command line is wrong, or no key was found
  3    the server cannot be reached, or failed
  130  interrupted`

/** The parser for all commands. It throws instead of exiting the process. */
export function createProgram(run: Runner, output: ProgramOutput): Command {
  const program = new Command('granary')
    .description('Granary: services, pipes, backups and dashboards of your own data warehouse.')
    .exitOverride()
    .configureOutput({ writeOut: output.out, writeErr: output.error, outputError: output.error })
    .configureHelp({ showGlobalOptions: true })
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', examples(['granary status', 'granary services create --name analytics --wait']))
    .addHelpText('after', exitCodesHelp)
  for (const option of globalOptions) program.addOption(option)
  for (const item of tree) add(program, item)
  return program

  function add(parent: Command, item: CommandDefinition | GroupDefinition): void {
    const command = parent.command(item.name).summary(item.summary)
    if (isGroup(item)) {
      command.description(item.summary)
      for (const inner of item.commands) add(command, inner)
      return
    }
    command.description(item.details ? `${item.summary}.\n${item.details}` : `${item.summary}.`)
    command.helpCommand(false).addHelpText('after', examples(item.examples))
    for (const [form, description] of item.operands ?? []) command.argument(form, description)
    for (const option of item.options ?? []) command.addOption(option)
    command.action(async () => {
      const values = command.registeredArguments.map((argument, index) => [
        argument.name(),
        command.processedArgs[index] as unknown,
      ])
      await run(item, Object.fromEntries(values), command.opts(), program.opts())
    })
  }
}

const examples = (lines: readonly string[]): string =>
  `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map((line) => `  $ ${line}`).join('\n')}`

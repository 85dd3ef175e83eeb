import type { Option } from 'commander'
import type { Session } from './session.ts'

/** One command, as data; `program.ts` hands it to the parser. */
export interface CommandDefinition {
  name: string
  summary: string
  /** Further text of the command's help, below the summary. */
  details?: string
  /** `<name>` is required, `[name]` is not, `[name...]` takes the rest. */
  operands?: readonly (readonly [form: string, description: string])[]
  options?: readonly Option[]
  /** Whole command lines. */
  examples: readonly string[]
  /** A command declares the types of its own operands (by name) and options (as the parser spells them). */
  run(session: Session, operands: object, options: object): Promise<void>
}

/** A noun, or a group of commands under a noun. */
export interface GroupDefinition {
  name: string
  summary: string
  commands: readonly (CommandDefinition | GroupDefinition)[]
}

export const isGroup = (item: CommandDefinition | GroupDefinition): item is GroupDefinition =>
  'commands' in item

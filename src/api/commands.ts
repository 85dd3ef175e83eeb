import { closed, list, oneOf, optional, text } from './schema.ts'

/** What can be done with a resource now, beside the resource itself. */
export const commandFields = <const T extends readonly string[]>(commands: T) => ({
  commands: list(oneOf(commands, 'A command.'), 'What can be done with it now.'),
  commandReasons: closed(
    Object.fromEntries(commands.map((command) => [command, optional(text('Why not.'))])) as {
      [C in T[number]]: ReturnType<typeof why>
    },
    { description: 'Why each other command would be refused, or would change nothing.' },
  ),
})

const why = () => optional(text('Why not.'))

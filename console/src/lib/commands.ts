/** Which commands a thing takes now: the server says it in the answer, with the reason for those it does not take. */
interface Commanded {
  commands?: readonly string[]
  commandReasons?: Readonly<Record<string, string>>
}

/** Why the command cannot be used now; null = it can. A server that does not say it answers when it is tried. */
export function refusalOf(thing: object, command: string): string | null {
  const { commands, commandReasons } = thing as Commanded
  if (commands === undefined || commands.includes(command)) return null
  return commandReasons?.[command] ?? 'The state does not take it now.'
}

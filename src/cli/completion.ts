import { type CommandDefinition, type GroupDefinition, isGroup } from './command.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** What can follow a command: `path` is ` services users`, with a space before each word, and '' for the program. */
interface Place {
  path: string
  words: string[]
}

/** A script that completes commands and options, made from the table of commands. It asks no server. */
export function completionScript(
  shell: Shell,
  tree: readonly (CommandDefinition | GroupDefinition)[],
  globalFlags: readonly string[],
): string {
  const places: Place[] = [{ path: '', words: [...tree.map(({ name }) => name), 'help', ...globalFlags] }]
  for (const item of tree) collect('', item)
  return scripts[shell](places)

  function collect(above: string, item: CommandDefinition | GroupDefinition): void {
    const path = `${above} ${item.name}`
    if (!isGroup(item)) {
      const own = (item.options ?? []).flatMap(({ long }) => (long ? [long] : []))
      places.push({ path, words: [...own, ...globalFlags] })
      return
    }
    places.push({ path, words: item.commands.map(({ name }) => name) })
    for (const inner of item.commands) collect(path, inner)
  }
}

const pathsOf = (places: readonly Place[]): string[] =>
  places.map(({ path }) => path).filter((path) => path !== '')
const cases = (places: readonly Place[], line: (place: Place) => string): string =>
  places.map(line).join('\n')

const scripts: Record<Shell, (places: readonly Place[]) => string> = {
  bash: (places) => `# granary completion bash > ~/.local/share/bash-completion/completions/granary
_granary() {
  local place='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$place \${COMP_WORDS[i]}" in
      ${pathsOf(places).map(quoted).join(' | ')}) place="$place \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$place" in
${cases(places, ({ path, words }) => `    ${quoted(path)}) words='${words.join(' ')}' ;;`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _granary granary
`,
  zsh: (places) => `#compdef granary
# granary completion zsh > "\${fpath[1]}/_granary"
_granary() {
  local place='' i
  local -a candidates
  for ((i = 2; i < CURRENT; i++)); do
    case "$place \${words[i]}" in
      ${pathsOf(places).map(quoted).join(' | ')}) place="$place \${words[i]}" ;;
    esac
  done
  case "$place" in
${cases(places, ({ path, words }) => `    ${quoted(path)}) candidates=(${words.join(' ')}) ;;`)}
  esac
  compadd -- $candidates || _files
}
if [ "\${funcstack[1]}" = _granary ]; then _granary "$@"; else compdef _granary granary; fi
`,
  fish: (places) => `# granary completion fish > ~/.config/fish/completions/granary.fish
function __granary_words
  set -l place ''
  for word in (commandline -opc)[2..-1]
    switch "$place $word"
      case ${pathsOf(places).map(quoted).join(' ')}
        set place "$place $word"
    end
  end
  switch "$place"
${cases(places, ({ path, words }) => `    case ${quoted(path)}\n      string split ' ' -- '${words.join(' ')}'`)}
  end
end
complete -c granary -a '(__granary_words)'
`,
}

/** Names of commands and options consist of letters and hyphens. */
const quoted = (text: string): string => `'${text}'`

/** Calls of the API as texts for a terminal. The key is read from the environment, where the command line has it too. */

/** A call by curl. A body is written in full, over several lines. */
export function curlOf({ method, url, body }: { method: string; url: string; body?: unknown }): string {
  const lines = [`curl -u "$GRANARY_ADMIN_KEY" ${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`]
  if (body !== undefined) {
    lines.push("-H 'content-type: application/json'", `-d ${quoted(JSON.stringify(body, null, 2))}`)
  }
  return lines.join(' \\\n  ')
}

/** A command that reads a body of JSON from its standard input. */
export const withBody = (command: string, body: unknown): string =>
  `${command} --file - <<'END'\n${JSON.stringify(body, null, 2)}\nEND`

/** A word of a shell: quoted where it has to be. */
export const quoted = (text: string): string =>
  /^[\w./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

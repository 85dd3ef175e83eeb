import { Option } from 'commander'
import type { CommandDefinition } from '../../command.ts'
import { usageError } from '../../failure.ts'
import { parseJson, readJsonObject } from '../../input.ts'

interface Flags {
  data?: string
  file?: string
}

export const api: CommandDefinition = {
  name: 'api',
  summary: 'Call any path of the server and print its answer',
  details:
    'The credential follows from the path: the key for /v1, the token for /api/v2. ' +
    'JSON answers are printed whole, with their envelope.',
  operands: [
    ['<method>', 'GET, POST, PUT, PATCH or DELETE'],
    ['<path>', 'begins with /'],
  ],
  options: [
    new Option('-d, --data <json>', 'the body'),
    new Option('-f, --file <path>', 'the body from a file; - reads standard input').conflicts('data'),
  ],
  examples: [
    'granary api GET /v1/organizations',
    'granary api GET /healthz',
    'granary api POST /api/v2/dashboards --data \'{"name":"Traffic"}\'',
  ],
  async run(
    { client, output, io, signal },
    { method, path }: { method: string; path: string },
    { data, file }: Flags,
  ) {
    const name = method.toUpperCase()
    if (!/^(GET|POST|PUT|PATCH|DELETE)$/.test(name))
      throw usageError('the method is GET, POST, PUT, PATCH or DELETE')
    // Checked here, since a broken body is a slip of the hand; what it says is sent as it was written.
    if (data !== undefined) parseJson(new TextEncoder().encode(data), '--data')
    const body = file === undefined ? data : JSON.stringify(await readJsonObject(io, file))
    if (body !== undefined && name === 'GET') throw usageError('GET takes no body')
    const answer = await client.raw(name, path, { ...(body === undefined ? {} : { body }), signal })
    const value = asJson(answer.headers, answer.text)
    output.result(value ?? answer.text, () =>
      value === undefined ? answer.text : JSON.stringify(value, null, 2),
    )
  },
}

/** undefined when the answer is no JSON. */
function asJson(headers: Headers, text: string): unknown {
  if (!/\bjson\b/.test(headers.get('content-type') ?? '')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

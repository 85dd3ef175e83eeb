import type { Duplex } from 'node:stream'

/**
 * Calls in both directions over one connection, each a line of JSON: `{id, method, params}` asks, `{id, result}`
 * or `{id, error}` answers, and `{method, params}` tells without an answer. Calls are answered in any order.
 */
export interface JsonPeer {
  /** Rejects with a `PeerError` that the other side gave, or with `PeerGone` when the connection ends. */
  call(method: string, params?: unknown): Promise<unknown>
  tell(method: string, params?: unknown): void
  /** Resolves when the connection has ended, for whatever reason. */
  readonly gone: Promise<void>
  close(): void
}

export type PeerMethods = Record<string, (params: never) => unknown>

/** The other side's refusal, with what it says about it. */
export class PeerError extends Error {
  readonly detail: Readonly<Record<string, unknown>>
  constructor(message: string, detail: Readonly<Record<string, unknown>>) {
    super(message)
    this.detail = detail
  }
}

export class PeerGone extends Error {}

interface Line {
  id?: number
  method?: string
  params?: unknown
  result?: unknown
  error?: { message: string; detail: Record<string, unknown> }
}

const maxLineBytes = 64 * 1024 * 1024
const newline = 0x0a

export function createJsonPeer(
  connection: Duplex,
  methods: PeerMethods,
  /** What the other side learns of an error besides its message. */
  describe: (error: unknown) => Record<string, unknown> = () => ({}),
): JsonPeer {
  const calls = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let lastId = 0
  let isGone = false
  const gone = new Promise<void>((resolve) => connection.once('close', resolve))
  void gone.then(() => {
    isGone = true
    for (const { reject } of calls.values()) reject(new PeerGone('the connection has ended'))
    calls.clear()
  })
  for (const event of ['error', 'end']) connection.on(event, () => connection.destroy())
  readLines(connection, take)

  function send(line: Line): void {
    if (!isGone && connection.writable) connection.write(`${JSON.stringify(line)}\n`)
  }

  function take(text: string): void {
    const line = JSON.parse(text) as Line
    if (line.method !== undefined) void answer(line.method, line)
    else settle(line)
  }

  function settle({ id = 0, result, error }: Line): void {
    const call = calls.get(id)
    calls.delete(id)
    if (error) call?.reject(new PeerError(error.message, error.detail))
    else call?.resolve(result)
  }

  async function answer(method: string, { id, params }: Line): Promise<void> {
    try {
      const run = methods[method]
      if (!run) throw new Error(`there is no method ${method}`)
      const result = await run(params as never)
      if (id !== undefined) send({ id, result })
    } catch (error) {
      if (id !== undefined)
        send({ id, error: { message: (error as Error).message, detail: describe(error) } })
    }
  }

  return {
    gone,
    call: (method, params) =>
      new Promise((resolve, reject) => {
        if (isGone) return reject(new PeerGone('the connection has ended'))
        const id = ++lastId
        calls.set(id, { resolve, reject })
        send({ id, method, params })
      }),
    tell: (method, params) => send({ method, params }),
    close: () => connection.destroy(),
  }
}

function readLines(connection: Duplex, take: (line: string) => void): void {
  let parts: Buffer[] = []
  let bytes = 0
  connection.on('data', (chunk: Buffer) => {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const line = Buffer.concat([...parts, chunk.subarray(start, end)]).toString('utf8')
      parts = []
      bytes = 0
      start = end + 1
      try {
        take(line)
      } catch {
        connection.destroy()
        return
      }
    }
    if (start === chunk.length) return
    parts.push(chunk.subarray(start))
    bytes += chunk.length - start
    if (bytes > maxLineBytes) connection.destroy()
  })
}

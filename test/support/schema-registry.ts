import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** A schema registry of Confluent's protocol, in memory. */
export interface TestRegistry {
  readonly url: string
  /** Adds a version to a subject and returns the id of its schema. */
  register(subject: string, schema: object | string, options?: Partial<Stored>): number
  /** How many requests have come. */
  requests(): number
  /** Answers with this status until told otherwise; 0 = as usual. */
  answerWith(status: number): void
}

interface Stored {
  schemaType: 'AVRO' | 'PROTOBUF' | 'JSON'
  references: { name: string; subject: string; version: number }[]
}

export interface RegistryOptions {
  tls?: { key: string; cert: string }
  /** `user:password` */
  auth?: string
}

export async function startRegistry(t: TestContext, options: RegistryOptions = {}): Promise<TestRegistry> {
  const schemas: (Partial<Stored> & { schema: string })[] = []
  const subjects = new Map<string, number[]>()
  let requests = 0
  let status = 0
  const find = (path: string): object | undefined => {
    if (path === '/subjects') return [...subjects.keys()]
    const id = /^\/schemas\/ids\/(\d+)$/.exec(path)?.[1]
    if (id !== undefined) return schemas[Number(id) - 1]
    const [, subject = '', version = ''] = /^\/subjects\/([^/]+)\/versions\/([^/]+)$/.exec(path) ?? []
    const ids = subjects.get(decodeURIComponent(subject)) ?? []
    const found = version === 'latest' ? ids.at(-1) : ids[Number(version) - 1]
    return found === undefined ? undefined : { subject, version, id: found, ...schemas[found - 1] }
  }
  const answer: RequestListener = (request, response) => {
    requests++
    const given = request.headers.authorization
    const wanted = options.auth && `Basic ${Buffer.from(options.auth).toString('base64')}`
    const found = find(request.url ?? '')
    const code = status || (wanted !== undefined && given !== wanted ? 401 : found === undefined ? 404 : 200)
    response.writeHead(code, { 'content-type': 'application/vnd.schemaregistry.v1+json' })
    response.end(JSON.stringify(code === 200 ? found : { error_code: code * 100 + 3, message: 'no' }))
  }
  const server = options.tls === undefined ? createServer(answer) : createSecureServer(options.tls, answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    register(subject, schema, stored = {}) {
      schemas.push({ ...stored, schema: typeof schema === 'string' ? schema : JSON.stringify(schema) })
      subjects.set(subject, [...(subjects.get(subject) ?? []), schemas.length])
      return schemas.length
    },
    requests: () => requests,
    answerWith(code) {
      status = code
    },
  }
}

/** Confluent's framing. */
export function frame(id: number, content: Buffer, messageIndex: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(id, 1)
  return Buffer.concat([head, messageIndex, content])
}

import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { KafkaSource, PipeSecrets } from '../../domain/pipe/types.ts'
import type { Clock } from '../../lib/clock.ts'
import { SourceError } from '../source.ts'

/** A client of Confluent's schema registry and those that speak its protocol. Schemas never change, so they are kept. */
export interface SchemaRegistry {
  /** Loads a schema; undefined = the registry has no such id. Rejects with a SourceError. */
  load(id: number): Promise<RegisteredSchema | undefined>
  /** The schema that the URL names: a subject, with or without a version, or an id; undefined = it names none. */
  configured(): Promise<RegisteredSchema | undefined>
  /** Rejects with a SourceError when the registry cannot be used. */
  check(): Promise<void>
}

export interface RegisteredSchema {
  type: 'AVRO' | 'PROTOBUF' | 'JSON'
  text: string
  /** The schemas that it imports, directly or not, by the names of the imports, each after those that it needs. */
  imports: ReadonlyMap<string, string>
}

const timeoutMs = 10_000
const maxBytes = 16 * 1024 * 1024
/** An unknown id is asked for again after this time. */
const unknownMs = 60_000
const maxImports = 500

export function createSchemaRegistry(
  { url, caCertificate }: Pick<KafkaSource['schemaRegistry'], 'url' | 'caCertificate'>,
  credentials: PipeSecrets['schemaRegistryCredentials'],
  clock: Clock,
): SchemaRegistry {
  const cut = /\/(subjects|schemas\/ids)\/.*$/.exec(url)
  const root = url.slice(0, cut?.index ?? url.length).replace(/\/+$/, '')
  const named = cut === null ? undefined : versionedPath(cut[0].replace(/\/+$/, ''))
  const schemas = new Map<number, { loaded: Promise<RegisteredSchema | undefined>; untilMs: number }>()

  const get = (path: string): Promise<RegistryAnswer> =>
    askRegistry(`${root}${path}`, {
      ...(caCertificate === '' ? {} : { ca: caCertificate }),
      ...(credentials === undefined ? {} : { auth: `${credentials.username}:${credentials.password}` }),
    })

  async function read(path: string): Promise<RegisteredSchema | undefined> {
    const { status, body } = await get(path)
    if (status === 404) return undefined
    const { schema, schemaType = 'AVRO', references = [] } = body as StoredSchema
    if (typeof schema !== 'string')
      throw new SourceError('retry', 'The schema registry answers with no schema.')
    const imports = new Map<string, string>()
    for (const reference of references) await addImport(reference, imports)
    return { type: schemaType, text: schema, imports }
  }

  async function addImport(
    { name, subject, version }: Reference,
    imports: Map<string, string>,
  ): Promise<void> {
    if (imports.has(name)) return
    if (imports.size >= maxImports) throw new SourceError('stop', 'A schema has too many references.')
    const { body } = await get(`/subjects/${encodeURIComponent(subject)}/versions/${version}`)
    const { schema, references = [] } = body as StoredSchema
    for (const reference of references) await addImport(reference, imports)
    imports.set(name, schema ?? '')
  }

  let configured: Promise<RegisteredSchema | undefined> | undefined
  return {
    load(id) {
      const known = schemas.get(id)
      if (known !== undefined && clock.now() < known.untilMs) return known.loaded
      const loaded = read(`/schemas/ids/${id}`)
      const entry = { loaded, untilMs: Number.POSITIVE_INFINITY }
      schemas.set(id, entry)
      loaded.then(
        (schema) => {
          if (schema === undefined) entry.untilMs = clock.now() + unknownMs
        },
        () => schemas.delete(id),
      )
      return loaded
    },
    configured() {
      if (named === undefined) return Promise.resolve(undefined)
      configured ??= read(named).catch((error: unknown) => {
        configured = undefined
        throw error
      })
      return configured
    },
    async check() {
      const { status } = await get(named ?? '/subjects')
      if (status === 404) throw new SourceError('stop', 'The schema registry has nothing at this URL.')
    },
  }
}

/** A subject without a version means its latest one. */
function versionedPath(path: string): string {
  if (!path.startsWith('/subjects/') || /\/versions\/[^/]+$/.test(path)) return path
  return path.endsWith('/versions') ? `${path}/latest` : `${path}/versions/latest`
}

interface Reference {
  name: string
  subject: string
  version: number
}
interface StoredSchema {
  schema?: string
  schemaType?: RegisteredSchema['type']
  references?: Reference[]
}
interface RegistryAnswer {
  status: number
  body: unknown
}

function askRegistry(url: string, options: { ca?: string; auth?: string }): Promise<RegistryAnswer> {
  return new Promise((resolve, reject) => {
    const fail = (verdict: 'retry' | 'stop', message: string): void =>
      reject(new SourceError(verdict, `The schema registry ${message}.`))
    const send = url.startsWith('https:') ? httpsRequest : httpRequest
    const headers = { accept: 'application/vnd.schemaregistry.v1+json, application/json' }
    const request = send(url, { ...options, headers, timeout: timeoutMs }, async (response) => {
      const status = response.statusCode ?? 0
      try {
        const parts: Buffer[] = []
        let bytes = 0
        for await (const part of response as AsyncIterable<Buffer>) {
          bytes += part.length
          if (bytes > maxBytes) return fail('stop', 'answers with more than a schema can be')
          parts.push(part)
        }
        if (status === 401 || status === 403) return fail('stop', 'refuses these credentials')
        if (status !== 200 && status !== 404) {
          return fail(status >= 500 || status === 429 ? 'retry' : 'stop', `answers with the status ${status}`)
        }
        resolve({ status, body: status === 404 ? null : JSON.parse(Buffer.concat(parts).toString()) })
      } catch {
        fail('retry', 'answers with something that is not JSON')
      }
    })
    request.on('timeout', () => request.destroy(new Error('timeout')))
    request.on('error', (error: NodeJS.ErrnoException) => {
      const code = error.code ?? ''
      if (/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS/.test(code)) {
        fail('stop', 'has a certificate that is not trusted: give its caCertificate')
      } else if (code === 'ENOTFOUND') fail('retry', 'has a host name that is unknown to the network')
      else fail('retry', `cannot be reached${code === '' ? '' : ` (${code})`}`)
    })
    request.end()
  })
}

import { type ErrorCode, errorCatalogue } from '../../domain/errors.ts'
import { errorsOf, type Operation } from '../operation.ts'
import { isDashboardOperation, type OperationId, operations } from '../operations.ts'
import type { TSchema } from '../schema.ts'
import { createExampleResults, exampleMetas } from './answers.ts'
import { errorResponse, errorSchemas, issueMeanings, responseName } from './errors.ts'
import { exampleIds } from './example-ids.ts'
import { exampleRequests } from './examples.ts'
import { deprecationHeaders, headers, pagingHeaders, rateHeaders } from './headers.ts'
import { createSchemaCollector, type SchemaCollector } from './schemas.ts'
import { apiTexts, type Noun, nouns, securitySchemes } from './texts.ts'
import type {
  HttpMethod,
  JsonSchema,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
} from './types.ts'

type ApiName = 'management' | 'dashboards'

/** The OpenAPI 3.1 document of one API. The same version always gives the same text. */
export function createOpenApi(api: ApiName, version: string): OpenApiDocument {
  const own = operations.filter(({ id }) => isDashboardOperation(id) === (api === 'dashboards'))
  const builder: Builder = {
    api,
    schemas: createSchemaCollector(),
    responses: new Map(),
    results: createExampleResults(),
  }
  const paths: OpenApiDocument['paths'] = {}
  for (const operation of own) {
    const item = paths[operation.path] ?? {}
    item[operation.method.toLowerCase() as HttpMethod] = describe(builder, operation)
    paths[operation.path] = item
  }
  const { title, summary, description, scheme } = apiTexts[api]
  return {
    openapi: '3.1.0',
    info: {
      title,
      summary,
      description,
      version,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server that this document came from.' }],
    security: [{ [scheme]: [] }, { session: [] }],
    tags: [...new Set(own.map(({ id }) => nounOf(id)))].map((noun) => nouns[noun]),
    paths,
    components: {
      schemas: { ...errorSchemas(api), ...builder.schemas.components() },
      responses: Object.fromEntries([...builder.responses].sort(([a], [b]) => (a < b ? -1 : 1))),
      headers: usedHeaders(paths, builder.responses),
      securitySchemes: schemesOf(own, scheme),
    },
    'x-granary-errors': errorCatalogue,
    'x-granary-issues': issueMeanings,
  }
}

interface Builder {
  api: ApiName
  schemas: SchemaCollector
  /** Answers that operations share, by name. */
  responses: Map<string, OpenApiResponse>
  results: Record<OperationId, unknown>
}

function describe(builder: Builder, operation: Operation & { id: OperationId }): OpenApiOperation {
  const { id, summary, description, permission, deprecated, body } = operation
  const parameters = [
    ...parametersOf(builder, 'path', operation.params),
    ...parametersOf(builder, 'query', operation.query),
    ...(operation.errors.includes('PRECONDITION_FAILED') ? [ifMatch] : []),
  ]
  return {
    operationId: id,
    tags: [nouns[nounOf(id)].name],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(deprecated ? { deprecated: true } : {}),
    'x-granary-permission': permission,
    ...(operation.credential ? { security: takes[operation.credential] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: requestBody(builder, id, body) } : {}),
    responses: { 200: success(builder, operation), ...errors(builder, operation) },
  }
}

/** What operations take that do not take what the document says. */
const takes: Record<NonNullable<Operation['credential']>, OpenApiDocument['security']> = {
  any: [{ basic: [] }, { bearer: [] }, { session: [] }],
  body: [],
}

function schemesOf(own: readonly Operation[], scheme: 'basic' | 'bearer') {
  const { basic, bearer, session } = securitySchemes
  if (own.some(({ credential }) => credential === 'any')) return { basic, bearer, session }
  return { [scheme]: securitySchemes[scheme], session }
}

const ifMatch: OpenApiParameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'Versions that may be replaced, as `ETag` had them, or `*`; absent = any.',
  schema: { type: 'string', examples: ['"3"'] },
}

function parametersOf(
  builder: Builder,
  place: OpenApiParameter['in'],
  schema: TSchema | undefined,
): OpenApiParameter[] {
  const { properties = {}, required = [] } = schema ? builder.schemas.convert(schema) : {}
  return Object.entries(properties).map(([name, { description = '', ...rest }]) => ({
    name,
    in: place,
    required: required.includes(name),
    description,
    schema: rest,
  }))
}

function requestBody(builder: Builder, id: OperationId, body: TSchema) {
  // The table has an entry for every operation with a body: its type demands it.
  const examples = exampleRequests[id as keyof typeof exampleRequests]
  const media = { schema: builder.schemas.convert(body), examples }
  return { required: true as const, content: { 'application/json': media } }
}

function success(builder: Builder, operation: Operation & { id: OperationId }): OpenApiResponse {
  const names = ['X-Request-Id', ...rateHeaders]
  if (isPaged(operation)) names.push(...pagingHeaders)
  if (operation.deprecated) names.push(...deprecationHeaders)
  if (operation.versioned) names.push('ETag')
  const result = builder.schemas.convert(operation.result)
  const example = builder.results[operation.id]
  const description = result.description ?? 'Done.'
  const refs = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
  if (operation.answer === 'text')
    return { description, headers: refs, content: { 'text/plain': { schema: result, example } } }
  const streamed = operation.answer && streamedType(operation.answer)
  if (streamed) return { description, headers: refs, content: { [streamed]: { schema: result, example } } }
  const meta = operation.meta && builder.schemas.convert(operation.meta)
  const media = {
    schema: envelope(builder.api, result, meta),
    example: wrap(builder.api, example, exampleMetas[operation.id]),
  }
  return { description, headers: refs, content: { 'application/json': media } }
}

/** The schema is that of one line or event; other types are described by themselves. */
function streamedType(answer: NonNullable<Operation['answer']>): string | null {
  if (typeof answer === 'object') return answer.type.split(';')[0] ?? answer.type
  return { text: null, ndjson: 'application/x-ndjson', events: 'text/event-stream' }[answer]
}

function envelope(api: ApiName, result: JsonSchema, meta?: JsonSchema): JsonSchema {
  if (api === 'dashboards') {
    if (!meta) return { type: 'object', required: ['data'], properties: { data: result } }
    return { type: 'object', required: ['data', 'meta'], properties: { data: result, meta } }
  }
  return {
    type: 'object',
    required: ['status', 'requestId', 'result'],
    properties: {
      status: { type: 'integer', description: 'The HTTP status.', const: 200 },
      requestId: { type: 'string', format: 'uuid', description: 'Also in the header `X-Request-Id`.' },
      result,
      warnings: {
        type: 'array',
        description: 'What was taken but is discouraged; absent when there is nothing to say.',
        items: { type: 'string' },
      },
    },
  }
}

const wrap = (api: ApiName, result: unknown, meta?: unknown) =>
  api === 'dashboards'
    ? { data: result, ...(meta === undefined ? {} : { meta }) }
    : { status: 200, requestId: exampleIds.request, result }

/** One answer for each status, shared by every operation that has the same codes under it. */
function errors(builder: Builder, operation: Operation): Record<string, { $ref: string }> {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of errorsOf(operation)) {
    const { status } = errorCatalogue[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const entries = [...byStatus].map(([status, codes]) => {
    const name = responseName(codes)
    if (!builder.responses.has(name)) builder.responses.set(name, errorResponse(builder.api, codes))
    return [status, { $ref: `#/components/responses/${name}` }]
  })
  return Object.fromEntries(entries)
}

/** Only headers that an answer refers to: the two APIs do not have all headers in common. */
function usedHeaders(paths: OpenApiDocument['paths'], responses: Builder['responses']) {
  const text = JSON.stringify([paths, [...responses.values()]])
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => text.includes(`"#/components/headers/${name}"`)),
  )
}

const isPaged = ({ query }: Operation) =>
  query !== undefined && 'properties' in query && 'cursor' in (query.properties as object)

const nounOf = (id: OperationId) => id.split('.')[0] as Noun

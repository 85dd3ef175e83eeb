/** The part of OpenAPI 3.1 that our documents use. */
export interface OpenApiDocument {
  openapi: '3.1.0'
  info: {
    title: string
    summary: string
    description: string
    version: string
    license: { name: string; identifier: string }
  }
  servers: { url: string; description: string }[]
  security: Record<string, string[]>[]
  tags: { name: string; description: string }[]
  paths: Record<string, Partial<Record<HttpMethod, OpenApiOperation>>>
  components: {
    schemas: Record<string, JsonSchema>
    responses: Record<string, OpenApiResponse>
    headers: Record<string, OpenApiHeader>
    securitySchemes: Record<string, SecurityScheme>
  }
  /** The whole error catalogue, including errors that belong to no operation (an unknown path, a wrong method). */
  'x-granary-errors': Record<string, { status: number; retryable: boolean; meaning: string; remedy: string }>
  /** What each issue code means. */
  'x-granary-issues': Record<string, string>
}

export type SecurityScheme =
  | { type: 'http'; scheme: 'basic' | 'bearer'; description: string }
  | { type: 'apiKey'; in: 'cookie'; name: string; description: string }

export type HttpMethod = 'get' | 'post' | 'put' | 'patch' | 'delete'

export interface OpenApiOperation {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  deprecated?: true
  'x-granary-permission': string
  /** Absent = as the document says; empty = no credential but what the body holds. */
  security?: OpenApiDocument['security']
  parameters?: OpenApiParameter[]
  requestBody?: { required: true; content: Record<string, OpenApiMedia> }
  responses: Record<string, OpenApiResponse | { $ref: string }>
}

export interface OpenApiParameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description: string
  schema: JsonSchema
}

export interface OpenApiMedia {
  schema: JsonSchema
  example?: unknown
  examples?: Record<string, { summary: string; value: unknown }>
}

export interface OpenApiResponse {
  description: string
  headers: Record<string, { $ref: string }>
  content: Record<string, OpenApiMedia>
  /** The error codes that this answer can carry; absent on success. */
  'x-granary-errors'?: string[]
}

export interface OpenApiHeader {
  description: string
  schema: JsonSchema
}

/** JSON Schema 2020-12 as far as the contract uses it. */
export interface JsonSchema {
  $ref?: string
  type?: string | string[]
  format?: string
  description?: string
  enum?: unknown[]
  const?: unknown
  minimum?: number
  maximum?: number
  multipleOf?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  deprecated?: boolean
  writeOnly?: boolean
  examples?: unknown[]
  required?: string[]
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  anyOf?: JsonSchema[]
  allOf?: JsonSchema[]
  maxProperties?: number
  additionalProperties?: boolean | JsonSchema
}

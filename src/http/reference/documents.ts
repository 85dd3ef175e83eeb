import type { OpenApiDocument, OpenApiOperation, OpenApiResponse } from '../../api/openapi/types.ts'

/** The OpenAPI document of each API, the only source of the reference. */
export interface Documents {
  management: OpenApiDocument
  dashboards: OpenApiDocument
}

/** The success response of an operation; undefined = it has none. */
export function successOf(operation: OpenApiOperation | undefined): OpenApiResponse | undefined {
  const success = operation?.responses['200']
  return success && !('$ref' in success) ? success : undefined
}

/** An operation's example answer, including the envelope. */
export function exampleAnswer(document: OpenApiDocument, operationId: string): unknown {
  const all = Object.values(document.paths).flatMap((item) => Object.values(item))
  const operation = all.find((one) => one.operationId === operationId)
  return successOf(operation)?.content['application/json']?.example
}

/** The example answer of an error. */
export function errorAnswer(document: OpenApiDocument, code: string) {
  const responses = Object.values(document.components.responses)
  const found = responses.find((response) => response['x-granary-errors']?.includes(code))
  return found?.content['application/json']
}

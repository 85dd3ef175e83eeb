import type { OpenApiDocument, OpenApiOperation, OpenApiResponse } from '../../api/openapi/types.ts'

/** The document of each API: all that the reference knows of it. */
export interface Documents {
  management: OpenApiDocument
  dashboards: OpenApiDocument
}

/** What an operation answers when it is done; undefined where it has no such answer. */
export function successOf(operation: OpenApiOperation | undefined): OpenApiResponse | undefined {
  const success = operation?.responses['200']
  return success && !('$ref' in success) ? success : undefined
}

/** The answer of an operation by its example, envelope included. */
export function exampleAnswer(document: OpenApiDocument, operationId: string): unknown {
  const all = Object.values(document.paths).flatMap((item) => Object.values(item))
  const operation = all.find((one) => one.operationId === operationId)
  return successOf(operation)?.content['application/json']?.example
}

/** The answer for an error that operations can fail with. */
export function errorAnswer(document: OpenApiDocument, code: string) {
  const responses = Object.values(document.components.responses)
  const found = responses.find((response) => response['x-granary-errors']?.includes(code))
  return found?.content['application/json']
}

import { type ErrorCode, errorCatalogue } from '../../domain/errors.ts'
import { type IssueCode, issueCodes } from '../../domain/issue.ts'
import { exampleError } from './error-examples.ts'
import { rateHeaders } from './headers.ts'
import type { JsonSchema, OpenApiResponse } from './types.ts'

/** What each issue code means; `docs/errors.md` has the same sentences. */
export const issueMeanings: Record<IssueCode, string> = {
  required: 'The field is missing.',
  unknown_field: 'The interface has no such field here; often a typing error.',
  invalid_type: 'The value has another JSON type than the field; text is never read as a number.',
  invalid_value: 'The value is none of those allowed, or does not fit the other fields.',
  invalid_format: 'The text is not in the form that the field takes, for example a UUID.',
  out_of_range: 'The number is below the least or above the greatest allowed.',
  not_multiple: 'The number is not a multiple of the step.',
  too_short: 'The text has too few characters, or the list too few items.',
  too_long: 'The text has too many characters, or the list too many items.',
  duplicate: 'Something that must be unique is there twice.',
  immutable: 'The field cannot change after creation.',
  not_allowed: 'The field cannot be used with this resource, or together with another field.',
  not_found: 'The value names something that does not exist.',
  syntax: 'The body is not valid JSON in UTF-8, or a text in it not valid in its language.',
  limit_exceeded: 'A limit ended the work; the message names the setting.',
}

const text = (description: string): JsonSchema => ({ type: 'string', description })

/** Of a statement that the engine refuses; absent where the request itself is wrong. */
const statementExtras: Record<string, JsonSchema> = {
  engineCode: { type: 'integer', description: "The engine's number for the error of a statement." },
  position: {
    type: ['object', 'null'],
    description: 'Where the statement is wrong; null = not known.',
    required: ['offset', 'line', 'column'],
    properties: {
      offset: { type: 'integer', description: 'In UTF-16 units, from 0.' },
      line: { type: 'integer', description: 'From 1.' },
      column: { type: 'integer', description: 'In UTF-16 units, from 1.' },
    },
  },
  suggestions: {
    type: 'array',
    description: 'The names nearest to one that the engine does not know, best first.',
    items: { type: 'string' },
  },
}

/** The fields that an error answer carries beside the common ones. Absent = none. */
export const errorExtras: Partial<Record<ErrorCode, Record<string, JsonSchema>>> = {
  FORBIDDEN: {
    permission: text('What the key lacks; absent when the reason is where the request came from.'),
  },
  CONFLICT: {
    currentState: text('The state that the resource is in.'),
    allowedStates: {
      type: 'array',
      description: 'The states in which the request would be taken.',
      items: { type: 'string' },
    },
    services: {
      type: 'array',
      description: 'The services that would break the new rules of the organization; at most 100.',
      items: {
        type: 'object',
        required: ['serviceId', 'name', 'rule'],
        properties: {
          serviceId: { type: 'string', format: 'uuid', description: 'The service.' },
          name: text('Its name.'),
          rule: text('What it breaks.'),
        },
      },
    },
  },
  BAD_REQUEST: statementExtras,
  LIMIT_EXCEEDED: statementExtras,
  FAILED_DEPENDENCY: {
    serviceState: text('The state that the service is in.'),
    canWake: { type: 'boolean', description: 'Whether it wakes by itself when it is used.' },
  },
}

const issues: JsonSchema = {
  type: 'array',
  description: 'Every wrong field at once; absent when no single field is to blame.',
  items: { $ref: '#/components/schemas/Issue' },
}
const issue: JsonSchema = {
  type: 'object',
  description: 'One wrong field of a request.',
  required: ['path', 'code', 'message'],
  properties: {
    path: {
      type: 'array',
      description:
        'Names and array positions from the root of the body; `path` or `query` and a name for parameters.',
      items: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    },
    code: { type: 'string', description: 'What kind of rule it breaks.', enum: [...issueCodes] },
    message: text('The rule in words; never the value that was sent.'),
    position: {
      type: 'integer',
      description: 'Where a text in a language is wrong: the offset in it, in UTF-16 units from 0.',
    },
    suggestions: {
      type: 'array',
      description: 'Where a name is unknown: the nearest names, best first.',
      items: { type: 'string' },
    },
  },
}

/** The shapes of errors of one API, by name. */
export function errorSchemas(api: 'management' | 'dashboards'): Record<string, JsonSchema> {
  if (api === 'dashboards') {
    const properties = { message: text('What is wrong, for people.'), issues }
    return { Error: { type: 'object', required: ['message'], properties }, Issue: issue }
  }
  const properties = {
    status: { type: 'integer', description: 'The HTTP status.' },
    error: text('`CODE: text`, for people.'),
    requestId: { type: 'string', format: 'uuid', description: 'Also in the header `X-Request-Id`.' },
    code: {
      type: 'string',
      description: 'What went wrong, for programs.',
      enum: Object.keys(errorCatalogue),
    },
    issues,
  }
  const required = ['status', 'error', 'requestId', 'code']
  return { Error: { type: 'object', required, properties }, Issue: issue }
}

/** The name of the shared answer for these codes of one status: `Conflict`, `NotFoundOrRouteNotFound`. */
export function responseName(codes: readonly ErrorCode[]): string {
  const camel = (code: string) =>
    code
      .toLowerCase()
      .split('_')
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
      .join('')
  return codes.map(camel).join('Or')
}

export function errorResponse(
  api: 'management' | 'dashboards',
  codes: readonly ErrorCode[],
): OpenApiResponse {
  const description = codes.map((code) => errorCatalogue[code].meaning).join(' Or: ')
  const [first] = codes
  const headers = Object.fromEntries(
    headerNames(first).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  )
  const media = {
    schema: api === 'dashboards' ? { $ref: '#/components/schemas/Error' } : managementError(codes),
    ...(first ? { example: exampleError(api, first) } : {}),
  }
  return { description, headers, content: { 'application/json': media }, 'x-granary-errors': [...codes] }
}

/** The common shape, narrowed to these codes and with the extra fields of these codes. */
function managementError(codes: readonly ErrorCode[]): JsonSchema {
  const statuses = [...new Set(codes.map((code) => errorCatalogue[code].status))]
  const extras = Object.assign({}, ...codes.map((code) => errorExtras[code] ?? {})) as Record<
    string,
    JsonSchema
  >
  return {
    allOf: [
      { $ref: '#/components/schemas/Error' },
      { properties: { status: { enum: statuses }, code: { enum: [...codes] }, ...extras } },
    ],
  }
}

/** Counted requests carry the rate headers; a request without a known key is not counted. */
function headerNames(code: ErrorCode | undefined): string[] {
  if (code === 'UNAUTHORIZED') return ['X-Request-Id', 'WWW-Authenticate']
  const rate = [...rateHeaders]
  if (code === 'TOO_MANY_REQUESTS') return ['X-Request-Id', ...rate, 'Retry-After']
  if (code === 'UNAVAILABLE') return ['X-Request-Id', 'Retry-After']
  return ['X-Request-Id', ...rate]
}

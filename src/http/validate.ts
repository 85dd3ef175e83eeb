import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Operation } from '../api/operation.ts'
import type { TSchema } from '../api/schema.ts'
import type { Issue, IssueCode } from '../domain/issue.ts'
import { isUuid } from '../lib/ids.ts'
import { isIpSource } from '../lib/ip-list.ts'

export interface RequestParts {
  params: unknown
  query: unknown
  /** undefined = no body was sent. */
  body: unknown
}

/** Finds every issue of a request, in all of its parts. Converts the values of `query` to their types. */
export type Validate = (parts: RequestParts) => readonly Issue[]

export function createValidator(operation: Operation): Validate {
  // Compiled on first use: the server starts sooner, and most servers never use all operations.
  const params = compileLater(strict, operation.params)
  const query = compileLater(strict, operation.query ?? nothing)
  const types = queryTypes(operation)
  const body = compileLater(strict, operation.body ?? nothing)
  const hastyBody = compileLater(hasty, operation.body ?? nothing)
  const missing: Issue = { path: ['body'], code: 'required', message: 'a JSON object is required' }
  const checkBody = (value: unknown): readonly Issue[] => {
    if (value === undefined) return operation.body && !operation.bodyIsOptional ? [missing] : nothingWrong
    if (operation.judgesBody) return nothingWrong
    return check(hasMoreValues(value, thoroughValues) ? hastyBody() : body(), value, [])
  }
  return (parts) => {
    readQuery(types, parts.query as Record<string, unknown>)
    const inPath = check(params(), parts.params, ['path'])
    const inQuery = check(query(), parts.query, ['query'])
    const inBody = checkBody(parts.body)
    if (inPath.length + inQuery.length + inBody.length === 0) return nothingWrong
    return [...inPath, ...inQuery].concat(inBody)
  }
}

type QueryTypes = [name: string, type: unknown][]

function queryTypes({ query }: Operation): QueryTypes {
  const { properties = {} } = (query ?? {}) as { properties?: Record<string, { type?: unknown }> }
  return Object.entries(properties).map(([name, { type }]) => [name, type])
}

/**
 * Only in a query, which is text, "5" becomes 5. A value that does not look like its type is left to the
 * schema.
 */
function readQuery(types: QueryTypes, query: Record<string, unknown>): void {
  for (const [name, type] of types) {
    const value = query[name]
    if (typeof value !== 'string') continue
    if (type === 'integer' && /^-?\d{1,15}$/.test(value)) query[name] = Number(value)
    if (type === 'boolean' && (value === 'true' || value === 'false')) query[name] = value === 'true'
  }
}

function compileLater(ajv: Ajv2020, schema: TSchema): () => ValidateFunction {
  let compiled: ValidateFunction | undefined
  return () => {
    compiled ??= ajv.compile(schema)
    return compiled
  }
}

/**
 * A body of up to this many values gets all of its issues, a larger one only the first: a list of millions of
 * items, each wrong in several ways, would exhaust the memory.
 */
const thoroughValues = 20_000

/** Stops counting at the limit, and does not recurse, because a body may be large and deep. */
function hasMoreValues(body: unknown, limit: number): boolean {
  const waiting: unknown[] = [body]
  for (let count = 0; waiting.length > 0; count++) {
    if (count + waiting.length > limit) return true
    const value = waiting.pop()
    if (typeof value === 'object' && value !== null)
      for (const part of Object.values(value)) waiting.push(part)
  }
  return false
}

const nothing: TSchema = { type: 'object', additionalProperties: false } as TSchema

// Values are never coerced in bodies ("24" is not 24) and never echoed in errors (they may be secrets).
const options = {
  allErrors: true,
  strictNumbers: true,
  allowUnionTypes: true,
  validateFormats: true,
} as const
const strict = addFormats(new Ajv2020(options))
const hasty = addFormats(new Ajv2020({ ...options, allErrors: false }))

function addFormats(ajv: Ajv2020): Ajv2020 {
  ajv.addFormat('uuid', isUuid)
  ajv.addFormat('ip-source', isIpSource)
  ajv.addFormat('date-time', isDateTime)
  ajv.addFormat('iso-date-or-time', (text) => isDate(text) || isDateTime(text))
  return ajv
}

const dateTime = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i

/** RFC 3339 as far as a Date can hold it: no leap second, and no year that UTC would write with five digits. */
function isDateTime(text: string): boolean {
  const [, date = ''] = dateTime.exec(text) ?? []
  return isDate(date) && /^\d{4}-/.test(new Date(text).toISOString())
}

/** A day that the calendar has: Date alone would read February 31 as March 2 or 3. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const date = new Date(text)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

const nothingWrong: readonly Issue[] = []

function check(validate: ValidateFunction, value: unknown, prefix: string[]): readonly Issue[] {
  if (validate(value)) return nothingWrong
  const issues = tellMeant(validate.errors ?? []).map((error) => toIssue(error, prefix))
  const seen = new Set<string>()
  return issues.filter((issue) => {
    const key = JSON.stringify([issue.path, issue.code, issue.message])
    return !seen.has(key) && seen.add(key)
  })
}

/**
 * If exactly one of several alternatives has the type that was sent, its errors are reported; otherwise only
 * that no alternative matches.
 */
function tellMeant(errors: readonly ErrorObject[]): ErrorObject[] {
  let told = [...errors]
  for (const choice of errors.filter((error) => error.keyword === 'anyOf')) {
    const within = told.filter((error) => error.schemaPath.startsWith(`${choice.schemaPath}/`))
    const alternative = (error: ErrorObject) => error.schemaPath.slice(choice.schemaPath.length).split('/')[1]
    const isOtherType = (error: ErrorObject) =>
      error.keyword === 'type' && error.instancePath === choice.instancePath
    const others = new Set(within.filter(isOtherType).map(alternative))
    const meant = within.filter((error) => !others.has(alternative(error)))
    const isClear = new Set(meant.map(alternative)).size === 1
    const dropped = new Set(isClear ? [choice, ...within.filter((error) => !meant.includes(error))] : within)
    told = told.filter((error) => !dropped.has(error))
  }
  return told
}

function toIssue(error: ErrorObject, prefix: string[]): Issue {
  const at = [...prefix, ...parsePointer(error.instancePath)]
  const parameters = error.params as Record<string, unknown>
  const field =
    parameters['missingProperty'] ?? parameters['additionalProperty'] ?? parameters['unevaluatedProperty']
  const path = typeof field === 'string' ? [...at, field] : at
  const [code, message] = describe(error.keyword, parameters)
  return { path: path.length > 0 ? path : ['body'], code, message }
}

function describe(keyword: string, parameters: Record<string, unknown>): [IssueCode, string] {
  const limit = String(parameters['limit'])
  switch (keyword) {
    case 'required':
      return ['required', 'is required']
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return ['unknown_field', 'is not a field of this request']
    case 'type':
      return ['invalid_type', `must be ${typeName(parameters['type'])}`]
    case 'enum':
      return [
        'invalid_value',
        `must be one of: ${(parameters['allowedValues'] as unknown[]).map((value) => (value === '' ? '(empty)' : String(value))).join(', ')}`,
      ]
    case 'const':
      return ['invalid_value', `must be ${String(parameters['allowedValue'])}`]
    case 'minimum':
      return ['out_of_range', `must be at least ${limit}`]
    case 'maximum':
      return ['out_of_range', `must be at most ${limit}`]
    case 'exclusiveMinimum':
      return ['out_of_range', `must be more than ${limit}`]
    case 'exclusiveMaximum':
      return ['out_of_range', `must be less than ${limit}`]
    case 'multipleOf':
      return ['not_multiple', `must be a multiple of ${String(parameters['multipleOf'])}`]
    case 'minLength':
      return ['too_short', `must have at least ${limit} character${limit === '1' ? '' : 's'}`]
    case 'maxLength':
      return ['too_long', `must have at most ${limit} characters`]
    case 'minItems':
      return ['too_short', `must have at least ${limit} item${limit === '1' ? '' : 's'}`]
    case 'maxItems':
      return ['too_long', `must have at most ${limit} items`]
    case 'maxProperties':
      return ['too_long', `must have at most ${limit} entries`]
    case 'uniqueItems':
      return ['duplicate', 'must not repeat an item']
    case 'format':
      return ['invalid_format', `must be ${formatName(String(parameters['format']))}`]
    case 'pattern':
      return ['invalid_format', `must match ${String(parameters['pattern'])}`]
    default:
      return ['invalid_value', 'fits none of the forms that this field may have']
  }
}

function typeName(type: unknown): string {
  const names: Record<string, string> = {
    integer: 'an integer',
    object: 'an object',
    array: 'an array',
    null: 'null',
  }
  const types = Array.isArray(type) ? type : String(type).split(',')
  return types.map((name: string) => names[name] ?? `a ${name}`).join(' or ')
}

function formatName(format: string): string {
  const names: Record<string, string> = {
    uuid: 'a UUID',
    'date-time': 'an ISO 8601 date and time with a zone',
    'ip-source': 'an IP address or CIDR range',
    'iso-date-or-time': 'an ISO 8601 date or date and time',
  }
  return names[format] ?? `a ${format}`
}

function parsePointer(pointer: string): (string | number)[] {
  if (pointer === '') return []
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^(0|[1-9]\d*)$/.test(part) ? Number(part) : part))
}

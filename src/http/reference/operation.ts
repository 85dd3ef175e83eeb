import type { HttpMethod, JsonSchema, OpenApiOperation } from '../../api/openapi/types.ts'
import { codeBlock, formatJson, highlightJson, highlightShell } from './code.ts'
import { curlCommand } from './curl.ts'
import { successOf } from './documents.ts'
import { type FieldContext, fieldItem, fieldList, resolve, typeOf } from './fields.ts'
import { type Html, html, prose } from './html.ts'

export interface ShownOperation {
  api: 'management' | 'dashboards'
  method: HttpMethod
  path: string
  operation: OpenApiOperation
}

/**
 * Everything about one operation: description and fields on the left, example request and answer on the right.
 */
export function operationSection(context: FieldContext, shown: ShownOperation): Html {
  const { method, path, operation } = shown
  const { operationId: id, summary, description, deprecated } = operation
  return html`<section class="operation" id="${id}" aria-labelledby="${id}-title">
<div class="words">
<h4 id="${id}-title"><a href="#${id}">${summary}</a>${deprecated && html` <span class="mark deprecated">deprecated</span>`}</h4>
<p class="route">${methodBadge(method)} <code>${breakable(path)}</code></p>
${description && html`<p>${prose(description)}</p>`}
<p class="needs">Needs <code>${operation['x-granary-permission']}</code></p>
${parameters(context, operation, 'path', 'Path')}
${parameters(context, operation, 'query', 'Query')}
${body(context, operation)}
${returns(context, shown)}
${errors(context, operation)}
</div>
<div class="panel">${requestExample(shown)}${answerExample(operation)}</div>
</section>`
}

export const methodBadge = (method: HttpMethod) =>
  html`<span class="method ${method}">${method.toUpperCase()}</span>`

/** A long path may break after each slash. */
const breakable = (path: string) =>
  html`${path.split('/').map((part, index) => (index > 0 ? html`/<wbr>${part}` : part))}`

function parameters(
  context: FieldContext,
  operation: OpenApiOperation,
  place: 'path' | 'query',
  title: string,
): Html | false {
  const own = (operation.parameters ?? []).filter((parameter) => parameter.in === place)
  if (own.length === 0) return false
  const items = own.map(({ name, description, schema, required }) =>
    fieldItem(context, name, { ...schema, description }, required),
  )
  return html`<h5>${title}</h5><ul class="fields">${items}</ul>`
}

function body(context: FieldContext, { requestBody }: OpenApiOperation): Html | false {
  const schema = requestBody?.content['application/json']?.schema
  if (!schema) return false
  const { description } = resolve(context.document, schema).schema
  return html`<h5>Body</h5>${description && html`<p>${prose(description)}</p>`}${fieldList(context, schema)}`
}

function returns(context: FieldContext, { api, operation }: ShownOperation): Html | false {
  const success = successOf(operation)
  if (!success) return false
  const plain = success.content['text/plain']
  if (plain) return html`<h5>Returns</h5><p>${prose(plain.schema.description ?? '')} Not in an envelope.</p>`
  const name = api === 'dashboards' ? 'data' : 'result'
  const result = success.content['application/json']?.schema.properties?.[name] ?? {}
  const paged = 'X-Next-Cursor' in success.headers
  return html`<h5>Returns</h5><p><code>${name}</code> <span class="type">${typeOf(context, result)}</span> ${result.items && prose(result.description ?? '')}${paged && html` <a href="#paging">In pages</a> when asked for.`}</p>${fieldsOf(context, result)}`
}

/** The fields, unless they are shown with their resource. */
function fieldsOf(context: FieldContext, result: JsonSchema): Html | false {
  const { name, schema } = resolve(context.document, result)
  const elsewhere = name !== undefined && context.anchors.has(name)
  return !elsewhere && Object.keys(schema.properties ?? {}).length > 0 && fieldList(context, result)
}

function errors({ document }: FieldContext, operation: OpenApiOperation): Html {
  const codes = Object.values(operation.responses).flatMap((response) => {
    const found =
      '$ref' in response ? document.components.responses[response.$ref.split('/').at(-1) ?? ''] : response
    return found?.['x-granary-errors'] ?? []
  })
  const catalogue = document['x-granary-errors']
  const items = codes.map(
    (code) => html`<li><a href="#error-${code}"><b>${catalogue[code]?.status}</b> ${code}</a></li>`,
  )
  return html`<h5>Errors</h5><ul class="codes">${items}</ul>`
}

function requestExample({ api, method, path, operation }: ShownOperation): Html {
  const examples = Object.values(operation.requestBody?.content['application/json']?.examples ?? {})
  const [first, ...others] = examples
  const request = { api, method: method.toUpperCase(), path, ...(first ? { body: first.value } : {}) }
  const more = others.map(
    ({ summary, value }) =>
      html`<details class="more"><summary>${summary}</summary>${codeBlock('Body', highlightJson(formatJson(value)))}</details>`,
  )
  return html`${codeBlock(first?.summary ?? 'Request', highlightShell(curlCommand(request)))}${more}`
}

function answerExample(operation: OpenApiOperation): Html | false {
  const success = successOf(operation)
  if (!success) return false
  const plain = success.content['text/plain']
  if (plain) return codeBlock('200 text/plain', html`${String(plain.example)}`)
  return codeBlock('200 OK', highlightJson(formatJson(success.content['application/json']?.example)))
}

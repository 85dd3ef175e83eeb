import type { JsonSchema, OpenApiDocument } from '../../api/openapi/types.ts'
import { type Html, html, prose } from './html.ts'

export interface FieldContext {
  document: OpenApiDocument
  /** Anchors of the schemas that have their own section; they are linked instead of repeated. */
  anchors: ReadonlyMap<string, string>
}

/** The fields of an object, each with its type, bounds and meaning; nested objects unfold. */
export function fieldList(context: FieldContext, schema: JsonSchema): Html {
  const { properties = {}, required = [] } = resolve(context.document, schema).schema
  const items = Object.entries(properties).map(([name, field]) =>
    fieldItem(context, name, field, required.includes(name)),
  )
  return html`<ul class="fields">${items}</ul>`
}

/** One field: name, type and marks on a line, then its meaning, bounds, values and nested fields. */
export function fieldItem(context: FieldContext, name: string, field: JsonSchema, required: boolean): Html {
  const { schema } = resolve(context.document, field)
  const shown = { ...schema, ...(field.description ? { description: field.description } : {}) }
  const bounds = boundsOf(shown)
  return html`<li><div class="field"><code class="name">${name}</code> <span class="type">${typeOf(context, field)}</span>${required && html` <span class="mark required">required</span>`}${shown.deprecated && html` <span class="mark deprecated">deprecated</span>`}${shown.writeOnly && html` <span class="mark">write-only</span>`}</div>${shown.description && html`<p>${prose(shown.description)}</p>`}${bounds.length > 0 && html`<p class="bounds">${bounds.join(' · ')}</p>`}${values(context, shown)}${nested(context, name, field)}</li>`
}

/** A schema and, if it has one, its name. */
export function resolve(
  document: OpenApiDocument,
  schema: JsonSchema,
): { name: string | undefined; schema: JsonSchema } {
  const name = schema.$ref?.split('/').at(-1)
  if (name === undefined) return { name, schema }
  const found = document.components.schemas[name]
  if (!found) throw new Error(`no schema ${name}`)
  return { name, schema: found }
}

/** The type in words, with links to schemas that have their own section. */
export function typeOf(context: FieldContext, field: JsonSchema): Html {
  const { name, schema } = resolve(context.document, field)
  const anchor = name === undefined ? undefined : context.anchors.get(name)
  if (anchor !== undefined) return html`<a href="#${anchor}">${name}</a>`
  if (schema.anyOf) {
    const forms = schema.anyOf.map((form, index) => html`${index > 0 && ' or '}${typeOf(context, form)}`)
    return html`${forms}`
  }
  if (schema.items) return html`array of ${typeOf(context, schema.items)}`
  const types = [schema.type ?? 'number'].flat().join(' or ')
  return html`${types}${schema.format && html` <span class="format">${schema.format}</span>`}`
}

function boundsOf(schema: JsonSchema): string[] {
  const { minimum, maximum, multipleOf, minLength, maxLength, minItems, maxItems, uniqueItems } = schema
  const bounds = [
    // A bound that only keeps a number exact is not shown.
    range(minimum, maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum, ''),
    multipleOf === undefined ? '' : `multiple of ${multipleOf}`,
    range(minLength, maxLength, ' character'),
    range(minItems, maxItems, ' item'),
    uniqueItems ? 'no item twice' : '',
  ]
  return bounds.filter((bound) => bound !== '')
}

/** `unit` is singular, with a leading space; '' for plain numbers. */
function range(least: number | undefined, most: number | undefined, unit: string): string {
  const plural = unit !== '' && (most ?? least) !== 1 ? `${unit}s` : unit
  const from = least?.toLocaleString('en')
  const to = most?.toLocaleString('en')
  if (from !== undefined && to !== undefined) return `${from} to ${to}${plural}`
  if (from !== undefined) return `at least ${from}${plural}`
  return to === undefined ? '' : `at most ${to}${plural}`
}

function values(context: FieldContext, schema: JsonSchema): Html | false {
  const items = schema.items ? resolve(context.document, schema.items).schema : undefined
  const all = schema.enum ?? items?.enum
  if (all) {
    const show = (value: unknown) => (value === '' ? '(empty)' : String(value))
    return html`<p class="values">${all.map((value) => html`<code>${show(value)}</code> `)}</p>`
  }
  const { pattern } = schema
  return pattern !== undefined && html`<p class="bounds">matches <code>${pattern}</code></p>`
}

function nested(context: FieldContext, name: string, field: JsonSchema): Html[] {
  return objectsIn(context, field).map((schema) => {
    const count = Object.keys(schema.properties ?? {}).length
    const noun = count === 1 ? 'field' : 'fields'
    return html`<details><summary>${count} ${noun} of <code>${name}</code></summary>${fieldList(context, schema)}</details>`
  })
}

/** The objects with fields that a value of this schema is or contains, except those shown elsewhere. */
function objectsIn(context: FieldContext, field: JsonSchema): JsonSchema[] {
  const { name, schema } = resolve(context.document, field)
  if (name !== undefined && context.anchors.has(name)) return []
  if (schema.properties) return [schema]
  if (schema.items) return objectsIn(context, schema.items)
  return (schema.anyOf ?? []).flatMap((form) => objectsIn(context, form))
}

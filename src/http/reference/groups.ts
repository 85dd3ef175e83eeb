import type { HttpMethod, OpenApiDocument } from '../../api/openapi/types.ts'
import { successOf } from './documents.ts'
import type { ShownOperation } from './operation.ts'

/** Operations on one kind of resource, and the resource itself. */
export interface Group {
  /** Anchor on the page. */
  id: string
  name: string
  description: string
  resource: { name: string; id: string; example: unknown } | undefined
  operations: ShownOperation[]
}

/** The operations of one API by their tags, in the order of the document. */
export function groupsOf(api: ShownOperation['api'], document: OpenApiDocument): Group[] {
  const all: ShownOperation[] = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      api,
      method: method as HttpMethod,
      path,
      operation,
    })),
  )
  return document.tags.map(({ name, description }) => {
    const operations = all.filter(({ operation }) => operation.tags.includes(name))
    const id = `group-${name.toLowerCase().replaceAll(' ', '-')}`
    return { id, name, description, operations, resource: resourceOf(operations) }
  })
}

/** The resource of a group is the result of the operation that reads one. */
function resourceOf(operations: ShownOperation[]): Group['resource'] {
  const read = operations.find(({ operation }) => operation.operationId.endsWith('.get'))?.operation
  const media = successOf(read)?.content['application/json']
  const { result, data } = media?.schema.properties ?? {}
  const name = (result ?? data)?.$ref?.split('/').at(-1)
  const example = media?.example as { result?: unknown; data?: unknown } | undefined
  return name === undefined
    ? undefined
    : { name, id: `object-${name}`, example: example?.result ?? example?.data }
}

import { closed, optional, Type, text, uuid } from './schema.ts'

/** Parameters that operations of the management API have in common. */
export const organizationId = uuid('The organization.')
export const serviceId = uuid('The service.')
export const inOrganization = closed({ organizationId })
export const onService = closed({ organizationId, serviceId })

/** Lists are whole by default; with `limit` they come in pages, and the next page's cursor is in `X-Next-Cursor`. */
export const page = {
  limit: optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'At most so many; the header `X-Next-Cursor` then leads on.',
    }),
  ),
  cursor: optional(
    text('Where the last page ended: the value of `X-Next-Cursor`.', { minLength: 1, maxLength: 200 }),
  ),
}
export const paging = closed(page)
export const metricsQuery = closed({
  filtered_metrics: optional(
    Type.Unsafe<boolean>({ type: 'boolean', description: 'Only the most important ones.' }),
  ),
})

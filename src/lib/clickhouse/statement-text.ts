/**
 * Where a request to ClickHouse's HTTP interface carries its statement. The gateway routes by this text and the
 * replica runs it, so both must take it from here:
 * - GET and HEAD: the first parameter `query` of the URL; a body does not count;
 * - POST with a form: every `query`, first those of the URL, then those of the form, with nothing between them;
 * - any other POST: the first `query` of the URL, a line feed, and the body. Without a `query`, the body alone.
 */
export const textWithoutBody = ([first = '']: readonly string[]): string => first

export const textBeforeBody = ([first = '']: readonly string[]): string => (first === '' ? '' : `${first}\n`)

export const textOfForm = (inUrl: readonly string[], inForm: readonly string[]): string =>
  [...inUrl, ...inForm].join('')

export const hasBodyText = (method: string | undefined): boolean => method === 'POST' || method === 'PUT'

export const isFormBody = (method: string | undefined, contentType: string): boolean =>
  method === 'POST' && /^multipart\/form-data\b/i.test(contentType)

import type { IncomingMessage } from 'node:http'
import { readHead } from './body.ts'
import { EngineError } from './errors.ts'

/** A body of several parts: parameters as in the URL, and data to be read like tables. */
export interface Form {
  fields: [string, string][]
  files: { name: string; data: Buffer }[]
}

/** Such bodies are held in memory. */
const maxFormBytes = 32 * 1024 * 1024

export const isForm = (request: IncomingMessage): boolean =>
  request.method === 'POST' && String(request.headers['content-type']).startsWith('multipart/form-data')

export async function readForm(request: IncomingMessage): Promise<Form> {
  const { bytes, rest } = await readHead(request, maxFormBytes)
  if (rest !== null) {
    rest.resume()
    throw new EngineError(229, 'QUERY_IS_TOO_LARGE', `The form is larger than ${maxFormBytes} bytes`)
  }
  const headers = { 'content-type': String(request.headers['content-type']) }
  const form: Form = { fields: [], files: [] }
  try {
    for (const [name, value] of await new Response(new Uint8Array(bytes), { headers }).formData()) {
      if (typeof value === 'string') form.fields.push([name, value])
      else form.files.push({ name, data: Buffer.from(await value.arrayBuffer()) })
    }
  } catch (error) {
    throw new EngineError(36, 'BAD_ARGUMENTS', 'The parts of the form cannot be told apart', { cause: error })
  }
  return form
}

import type { IncomingMessage } from 'node:http'
import { isFormBody } from '../../../lib/clickhouse/statement-text.ts'
import { FormError, type FormParts, readParts } from '../../../lib/multipart.ts'
import { readHead } from './body.ts'
import { EngineError } from './errors.ts'

/** A body of several parts: parameters as in the URL, and data to be read like tables. */
export interface Form {
  fields: [string, string][]
  files: { name: string; data: Buffer }[]
}

/** Such bodies are held in memory. */
const maxFormBytes = 32 * 1024 * 1024

export const isForm = ({ method, headers }: IncomingMessage): boolean =>
  isFormBody(method, String(headers['content-type']))

export async function readForm(request: IncomingMessage): Promise<Form> {
  const { bytes, rest } = await readHead(request, maxFormBytes)
  if (rest !== null) {
    rest.resume()
    throw new EngineError(229, 'QUERY_IS_TOO_LARGE', `The form is larger than ${maxFormBytes} bytes`)
  }
  const { parts, isWhole } = partsOf(bytes, String(request.headers['content-type']))
  if (!isWhole) throw notAForm('its end is missing')
  return {
    fields: parts.flatMap(({ name, fileName, data }) => (fileName === null ? [[name, data.toString()]] : [])),
    files: parts.filter(({ fileName }) => fileName !== null),
  }
}

function partsOf(bytes: Buffer, contentType: string): FormParts {
  try {
    return readParts(bytes, contentType)
  } catch (error) {
    throw error instanceof FormError ? notAForm(error.message) : error
  }
}

const notAForm = (why: string): EngineError =>
  new EngineError(36, 'BAD_ARGUMENTS', `The parts of the form cannot be told apart: ${why}`)

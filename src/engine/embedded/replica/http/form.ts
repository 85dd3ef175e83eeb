import type { IncomingMessage } from 'node:http'
import { isFormBody } from '../../../../lib/clickhouse/statement-text.ts'
import { FormError, type FormParts, readParts } from '../../../../lib/multipart.ts'
import { EngineError } from '../../engine-error.ts'
import { createStatementSlots } from '../statement/statement-slots.ts'
import { readHead } from './body.ts'
import { smallInsertBytes } from './read-work.ts'

/** A multipart body: parameters as in the URL, and data of external tables. */
export interface Form {
  fields: [string, string][]
  files: { name: string; data: Buffer }[]
}

/** Forms are held in memory until their statements have ended. */
export const maxFormBytes = 32 * 1024 * 1024
export const maxFormsBytes = 8 * maxFormBytes
const maxWaitingForms = 1_000

/** Reads forms; a form that is larger than other statements waits until there is memory for it. */
export interface Forms {
  /** The caller calls `leave` when it needs the form no more. */
  read(request: IncomingMessage, gone: AbortSignal): Promise<{ form: Form; leave: () => void }>
}

export function createForms(): Forms {
  const memory = createStatementSlots({
    max: maxFormsBytes,
    maxWaiting: maxWaitingForms,
    unit: ' bytes of forms',
  })
  return {
    async read(request, gone) {
      const toldBytes = Number(request.headers['content-length'] ?? maxFormBytes)
      const bytes = Math.min(toldBytes, maxFormBytes)
      const leave = bytes <= smallInsertBytes ? () => undefined : await memory.enter(gone, bytes)
      try {
        return { form: await readForm(request), leave }
      } catch (error) {
        leave()
        throw error
      }
    },
  }
}

export const isForm = ({ method, headers }: IncomingMessage): boolean =>
  isFormBody(method, String(headers['content-type']))

async function readForm(request: IncomingMessage): Promise<Form> {
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

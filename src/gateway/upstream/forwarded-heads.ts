import { replicaHeaderPrefix, replicaHeaders } from '../../engine/embedded/protocol.ts'
import { coldStartHeader, type Exchange } from '../exchange/exchange.ts'
import type { AnswerHead } from './answer-parser.ts'

/** The header lines that frame the body. */
export function framingOf({ method, body: { length } }: Exchange): string {
  if (method === 'GET' && length === 0) return ''
  return length === null ? 'Transfer-Encoding: chunked\r\n' : `Content-Length: ${length}\r\n`
}

/** The client's address as a header line; none for a part of the product. */
export const originOf = ({ address }: Exchange): string =>
  address === '' ? '' : `X-Forwarded-For: ${address}\r\n`

/** The answer's headers for the client; `length` is in bytes, null = as the replica declared. */
export function answerHeaders(head: AnswerHead, { heldMs }: Exchange, length: number | null): string[] {
  const headers: string[] = []
  for (let i = 0; i + 1 < head.headers.length; i += 2) {
    const name = head.headers[i] ?? ''
    if (!isOwnBusiness(name.toLowerCase())) headers.push(name, head.headers[i + 1] ?? '')
  }
  const known = length ?? head.contentLength
  if (known !== null && head.status !== 204 && head.status !== 304)
    headers.push('Content-Length', String(known))
  if (heldMs !== null) headers.push(coldStartHeader, String(heldMs))
  return headers
}

/** The replica is about to end and takes no new statements; it did not execute this one. */
export const isLeavingAnswer = (head: AnswerHead): boolean =>
  head.status === 503 && headerOf(head, replicaHeaders.draining) !== undefined

/** 0 = no exception. */
export const exceptionCodeOf = (head: AnswerHead): number =>
  head.status < 400 ? 0 : Number(headerOf(head, 'x-clickhouse-exception-code') ?? 0)

function headerOf({ headers }: AnswerHead, name: string): string | undefined {
  for (let i = 0; i + 1 < headers.length; i += 2)
    if (headers[i]?.toLowerCase() === name) return headers[i + 1]
  return undefined
}

/** Headers of the replica's connection only, or that the gateway sets anew. */
const isOwnBusiness = (name: string): boolean =>
  connectionHeaders.has(name) || name.startsWith(replicaHeaderPrefix)

const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'proxy-connection',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

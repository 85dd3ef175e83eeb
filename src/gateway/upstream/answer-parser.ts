/**
 * Reads a replica's answers from its connection: HTTP/1.1 as in RFC 9112, for a peer that we start ourselves
 * or that is configured. Node's own client does the same at several times the cost, and this is in the path
 * of every query. Any malformed answer throws: the connection is then unusable.
 */
export interface AnswerParser {
  /** Takes bytes from the connection. The callbacks run before it returns. */
  push(chunk: Buffer): void
  /** The peer closed the connection; throws in the middle of an answer. */
  end(): void
  /** No byte of an answer has come yet. */
  readonly isUntouched: boolean
}

export interface AnswerHead {
  status: number
  statusText: string
  /** Names and values in turn, as they came. */
  headers: string[]
  /** In bytes; null = not declared: the body is chunked or ends with the connection. */
  contentLength: number | null
  /** Whether another request may follow on the connection. */
  keepAlive: boolean
}

export interface AnswerEvents {
  /** `100 Continue`. Other interim answers are skipped. */
  onContinue(): void
  onHead(head: AnswerHead): void
  /** A view of the pushed bytes, not a copy. */
  onBody(bytes: Buffer): void
  onEnd(): void
  /** Whether the next answer is to HEAD: it may declare a length, but has no body. */
  isHeadOnly?(): boolean
}

export const maxHeadBytes = 1024 * 1024
const maxChunkLineBytes = 4096
const noBytes: Buffer = Buffer.alloc(0)

type State = 'head' | 'length' | 'chunkSize' | 'chunk' | 'chunkEnd' | 'trailer' | 'untilClose'

export function createAnswerParser(events: AnswerEvents): AnswerParser {
  const { onContinue, onHead, onBody, onEnd } = events
  let state: State = 'head'
  /** The beginning of an incomplete head or line. */
  let kept = noBytes
  let remaining = 0

  return {
    push(chunk) {
      let bytes = kept.length === 0 ? chunk : Buffer.concat([kept, chunk])
      kept = noBytes
      while (bytes.length > 0) {
        const rest = step(bytes)
        if (rest === null) {
          kept = bytes
          return
        }
        bytes = rest
      }
    },
    end() {
      if (state === 'untilClose') return finish()
      if (state !== 'head' || kept.length > 0)
        throw new Error('the replica closed the connection in mid-answer')
    },
    get isUntouched() {
      return state === 'head' && kept.length === 0
    },
  }

  /** The bytes left after one step; null = the step needs more bytes. */
  function step(bytes: Buffer): Buffer | null {
    switch (state) {
      case 'head':
        return readHead(bytes)
      case 'length':
      case 'chunk':
        return readCounted(bytes)
      case 'chunkSize':
        return readLine(bytes, (line) => {
          const [, digits = ''] = /^([0-9a-f]{1,13})[ \t]*(?:;.*)?$/i.exec(line) ?? []
          if (digits === '') throw new Error('the replica sent a chunk without a size')
          remaining = Number.parseInt(digits, 16)
          state = remaining === 0 ? 'trailer' : 'chunk'
        })
      case 'chunkEnd':
        return readLine(bytes, (line) => {
          if (line !== '') throw new Error('the replica sent a chunk longer than it said')
          state = 'chunkSize'
        })
      case 'trailer':
        return readLine(bytes, (line) => {
          if (line === '') finish()
        })
      case 'untilClose':
        onBody(bytes)
        return noBytes
    }
  }

  function readHead(bytes: Buffer): Buffer | null {
    const end = bytes.indexOf('\r\n\r\n')
    if (end < 0) {
      if (bytes.length > maxHeadBytes) throw new Error('the head of the replica’s answer is too long')
      return null
    }
    const head = parseHead(bytes.toString('latin1', 0, end))
    const rest = bytes.subarray(end + 4)
    if (head.status < 200) {
      if (head.status === 100) onContinue()
      return rest
    }
    const { contentLength } = head
    const hasNone =
      head.status === 204 || head.status === 304 || contentLength === 0 || events.isHeadOnly?.() === true
    remaining = contentLength ?? 0
    state = head.isChunked ? 'chunkSize' : contentLength === null ? 'untilClose' : 'length'
    if (state === 'untilClose' && !hasNone) head.keepAlive = false
    onHead(head)
    if (hasNone) finish()
    return rest
  }

  function readCounted(bytes: Buffer): Buffer {
    const isWhole = bytes.length >= remaining
    const taken = bytes.length > remaining ? bytes.subarray(0, remaining) : bytes
    const rest = isWhole ? bytes.subarray(remaining) : noBytes
    remaining -= taken.length
    onBody(taken)
    if (!isWhole) return rest
    if (state === 'chunk') state = 'chunkEnd'
    else finish()
    return rest
  }

  function readLine(bytes: Buffer, take: (line: string) => void): Buffer | null {
    const end = bytes.indexOf('\r\n')
    if (end > maxChunkLineBytes || (end < 0 && bytes.length > maxChunkLineBytes)) {
      throw new Error('the replica sent a line between chunks that is too long')
    }
    if (end < 0) return null
    take(bytes.toString('latin1', 0, end))
    return bytes.subarray(end + 2)
  }

  function finish(): void {
    state = 'head'
    onEnd()
  }
}

function parseHead(text: string): AnswerHead & { isChunked: boolean } {
  let lineEnd = endOfLine(text, 0)
  if (!statusLine.test(text)) throw new Error('the replica did not answer in HTTP')
  const head = {
    status: Number(text.slice(9, 12)),
    statusText: text.slice(13, lineEnd),
    headers: [] as string[],
    contentLength: null as number | null,
    keepAlive: text[7] === '1',
    isChunked: false,
  }
  for (let at = lineEnd + 2; at < text.length; at = lineEnd + 2) {
    lineEnd = endOfLine(text, at)
    const colon = text.indexOf(':', at)
    if (colon <= at || colon >= lineEnd) throw new Error('the replica sent a header without a name')
    const name = text.slice(at, colon)
    const value = text.slice(colon + 1, lineEnd).trim()
    head.headers.push(name, value)
    takeHeader(head, name, value)
  }
  // With chunks, a content length means nothing.
  if (head.isChunked) head.contentLength = null
  return head
}

const statusLine = /^HTTP\/1\.[01] [1-5]\d\d(?: |\r\n|$)/

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\r\n', at)
  return end < 0 ? text.length : end
}

/** Compares lengths first, because most header names are none of these. */
function takeHeader(head: AnswerHead & { isChunked: boolean }, name: string, value: string): void {
  if (name.length === 14 && name.toLowerCase() === 'content-length') {
    if (!/^\d{1,15}$/.test(value)) throw new Error('the replica sent a length that is no number')
    head.contentLength = Number(value)
  } else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
    if (value.toLowerCase() !== 'chunked') throw new Error('the replica sent an unknown transfer encoding')
    head.isChunked = true
  } else if (name.length === 10 && name.toLowerCase() === 'connection') {
    if (/\bclose\b/i.test(value)) head.keepAlive = false
  }
}

import { EngineError } from '../../engine-error.ts'

/**
 * Parses an error of the library, which wraps exceptions into each other (`Code: 73. DB::Exception: Code: 73. …
 * (UNKNOWN_FORMAT) (version 26.7). (UNKNOWN_FORMAT)`); the result names each once, as a server does. Texts that come
 * from how the replica runs a statement, above all names of FIFOs, are removed.
 */
export function readEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error
  if ((error as NodeJS.ErrnoException | null)?.code === 'ENOSPC') {
    return new EngineError(243, 'NOT_ENOUGH_SPACE', 'Not enough space on the disk of this warehouse', {
      cause: error,
    })
  }
  const text = error instanceof Error ? error.message : String(error)
  const head = exceptionHead.exec(text)
  if (head === null) return new EngineError(...otherException(text), withoutOurs(text), { cause: error })
  const codes = head[1]?.match(/\d+/g) ?? []
  const rest = text.slice(head[0].length)
  const tail = /(?:\.? ?\([A-Z][A-Z0-9_]+\)(?: \(version [^)]*\))?)+\s*$/.exec(rest)
  const type = tail?.[0].match(/\(([A-Z][A-Z0-9_]+)\)(?: \(version [^)]*\))?\s*$/)?.[1]
  const body = tail === null ? rest : rest.slice(0, tail.index)
  return new EngineError(Number(codes[0]), type ?? 'UNKNOWN_EXCEPTION', withoutOurs(body), {
    cause: error,
  })
}

/** The same error with file names relative to these directories. */
export function withoutPaths(error: EngineError, directories: readonly string[]): EngineError {
  const { code, type, message } = error
  const text = directories.reduce((text, directory) => text.replaceAll(`${directory}/`, ''), message)
  return text === message ? error : new EngineError(code, type, text, { cause: error })
}

/**
 * Whether the engine has crashed. Its signal handler keeps the process alive, with one thread that never ends, and
 * answers every later statement with this error.
 */
export const isCrash = ({ code, message }: EngineError): boolean =>
  code === 236 && message.includes('due to a fatal error')

/** The engine's own exceptions have several class names: for the network, for system calls, for a parser. */
const exceptionHead = /^(?:Query failed: )?((?:Code: \d+\. (?:DB|Coordination)::[A-Za-z:]*Exception: )+)/

/** The codes that a server gives to exceptions of the engine's libraries. */
function otherException(text: string): [code: number, type: string] {
  if (/^(?:Query failed: )?Poco::Exception/.test(text)) return [1000, 'POCO_EXCEPTION']
  if (/^(?:Query failed: )?std::exception/.test(text)) return [1001, 'STD_EXCEPTION']
  return [1002, 'UNKNOWN_EXCEPTION']
}

/** The error as a server writes it into a response body. */
export const errorText = ({ code, type, message }: EngineError, version: string): string =>
  `Code: ${code}. DB::Exception: ${message.replace(/\.$/, '')}. (${type}) (version ${version})\n`

/** The mapping of ClickHouse's own HTTP interface. */
export function httpStatus(code: number): number {
  if (badRequest.has(code)) return 400
  if (notFound.has(code)) return 404
  return others[code] ?? 500
}

const badRequest = new Set([
  ...[6, 8, 15, 25, 26, 27, 36, 37, 38, 41, 44, 53, 62, 72, 117, 123, 167, 168, 223, 321, 376, 427, 441],
  ...[675, 676],
])
const notFound = new Set([46, 47, 50, 56, 60, 63, 73, 78, 81, 115, 152, 336, 511])
const others: Record<number, number> = {
  48: 501,
  76: 503,
  159: 408,
  192: 403,
  193: 403,
  194: 401,
  209: 503,
  229: 413,
  381: 411,
  439: 503,
  497: 403,
  512: 403,
  516: 403,
  779: 415,
}

function withoutOurs(text: string): string {
  return text
    .replaceAll(/: \(in file\/uri [^)]*\)/g, '')
    .replaceAll(': While executing File', '')
    .replaceAll(': data for INSERT was parsed from file', ': data for INSERT was parsed from stdin')
}

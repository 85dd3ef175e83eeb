/** One part of a form (RFC 7578). */
export interface FormPart {
  name: string
  /** null = a plain field. */
  fileName: string | null
  /** Shares the memory of the body. */
  data: Buffer
}

export interface FormParts {
  parts: FormPart[]
  /** True when the end of the form was seen; otherwise the last part may be cut off. */
  isWhole: boolean
}

export class FormError extends Error {
  override name = 'FormError'
}

/** Reads the parts of a form, or of its beginning. Throws a FormError if the bytes are not a form. */
export function readParts(bytes: Buffer, contentType: string): FormParts {
  const delimiter = Buffer.from(`\r\n--${boundaryOf(contentType)}`)
  const parts: FormPart[] = []
  let at = startOf(bytes, delimiter)
  while (at >= 0) {
    if (bytes.toString('latin1', at, at + 2) === '--') return { parts, isWhole: true }
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd >= 0 && bytes.toString('latin1', at, lineEnd).trim() !== '')
      throw new FormError('text follows a boundary')
    // Searched from the end of the boundary's line, so that the empty line of a part without headers is found
    // too.
    const headersEnd = lineEnd < 0 ? -1 : bytes.indexOf('\r\n\r\n', lineEnd)
    if (headersEnd < 0) return { parts, isWhole: false }
    const next = bytes.indexOf(delimiter, headersEnd + 2)
    const dataStart = headersEnd + 4
    const data = bytes.subarray(dataStart, next < 0 ? bytes.length : Math.max(next, dataStart))
    parts.push({ ...readDisposition(bytes.toString('utf8', lineEnd, headersEnd)), data })
    at = next < 0 ? -1 : next + delimiter.length
  }
  return { parts, isWhole: false }
}

/** Where the first boundary ends; -1 = it has not arrived yet. */
function startOf(bytes: Buffer, delimiter: Buffer): number {
  const first = delimiter.subarray(2)
  if (bytes.subarray(0, first.length).equals(first)) return first.length
  if (bytes.length < first.length) return -1
  throw new FormError('the form does not begin with its boundary')
}

function boundaryOf(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"\r\n]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw new FormError('Content-Type names no boundary')
  return boundary
}

function readDisposition(headers: string): Pick<FormPart, 'name' | 'fileName'> {
  const lines = headers.split('\r\n').filter((line) => /^content-disposition\s*:/i.test(line))
  const [line = ''] = lines
  const name = parameterOf(line, 'name')
  if (lines.length !== 1 || name === null) throw new FormError('a part has no name')
  return { name, fileName: parameterOf(line, 'filename') }
}

function parameterOf(line: string, name: string): string | null {
  const [, quoted, plain] = new RegExp(`;\\s*${name}=(?:"([^"]*)"|([^\\s;"]+))`, 'i').exec(line) ?? []
  const value = quoted ?? plain
  // Browsers percent-encode the characters that cannot appear between quotes.
  return (
    value?.replace(/%(22|0D|0A)/gi, (_found, hex: string) => String.fromCharCode(parseInt(hex, 16))) ?? null
  )
}

/** A record that a pipe could not put into its table, as the interface shows it. */
export function viewRejected(record: {
  atMs: number
  source: string
  position: string
  code: string
  reason: string
  /** The beginning of its bytes. */
  raw: Buffer
  /** In bytes. */
  rawSize: number
}) {
  const { atMs, source, position, code, reason, raw, rawSize } = record
  const isTruncated = rawSize > raw.length
  const text = textOf(raw, isTruncated)
  return {
    ...{ at: new Date(atMs).toISOString(), source, position, code, reason, field: fieldOf(reason) },
    ...{ raw: text ?? raw.toString('base64'), isBase64: text === null, isTruncated, rawSize },
  }
}

/** Null = the bytes are no UTF-8. */
function textOf(raw: Buffer, isTruncated: boolean): string | null {
  // The cut may lie within a character, which has four bytes at most.
  for (let cut = 0; cut <= (isTruncated ? 3 : 0); cut++) {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
        raw.subarray(0, raw.length - cut),
      )
    } catch {}
  }
  return null
}

/** The field that the engine names; null = it names none. */
export const fieldOf = (reason: string): string | null =>
  /\(while reading the value of key ([^)]+)\)/.exec(reason)?.[1] ??
  /Column \d+, +name: ([^,]+), +type: [^\n]*ERROR/.exec(reason)?.[1] ??
  null

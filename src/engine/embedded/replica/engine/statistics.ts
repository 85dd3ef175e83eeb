/** What a statement read to find its result. */
export interface Scanned {
  rows: number
  bytes: number
}

/**
 * The library counts the rows of a result, not the rows that it read to find them. Formats that end with statistics
 * contain that number; `end` is the end of the result. Null where the format has no statistics.
 */
export function readStatistics(format: string, end: Buffer): Scanned | null {
  if (!withStatistics.has(format)) return null
  const found = /\brows_read\W+(\d+)\D+?\bbytes_read\W+(\d+)\D*$/.exec(end.subarray(-512).toString('latin1'))
  return found === null ? null : { rows: Number(found[1]), bytes: Number(found[2]) }
}

const withStatistics = new Set([
  ...['JSON', 'JSONCompact', 'JSONStrings', 'JSONCompactStrings', 'JSONColumnsWithMetadata', 'XML'],
])

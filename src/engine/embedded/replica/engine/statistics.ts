/** What a statement read to find its result. */
export interface Scanned {
  rows: number
  bytes: number
}

/**
 * The library counts the rows of a result, not those that it read to find them. Formats that end with statistics
 * tell; `end` is the last that there is of the result. Null where nothing is told.
 */
export function readStatistics(format: string, end: Buffer): Scanned | null {
  if (!withStatistics.has(format)) return null
  const found = /\brows_read\W+(\d+)\D+?\bbytes_read\W+(\d+)\D*$/.exec(end.subarray(-512).toString('latin1'))
  return found === null ? null : { rows: Number(found[1]), bytes: Number(found[2]) }
}

const withStatistics = new Set([
  ...['JSON', 'JSONCompact', 'JSONStrings', 'JSONCompactStrings', 'JSONColumnsWithMetadata', 'XML'],
])

/** The name behind a file name; null if it is none that ClickHouse could have written for a name in UTF-8. */
export function unescapeFileName(fileName: string): string | null {
  if (!/^(?:\w|%[\dA-F]{2})+$/.test(fileName)) return null
  try {
    return decodeURIComponent(fileName)
  } catch {
    return null
  }
}

import { formatDuration } from '../../lib/durations.ts'
import { formatBytes, formatCount, formatExact, formatPercent } from '../../lib/numbers.ts'
import type { Done, Progress } from './statement-run.ts'

const rowsOf = (count: number, words = formatExact(count)): string =>
  `${words} ${count === 1 ? 'row' : 'rows'}`

/** `432 rows in 84 ms`, as clickhouse-client says it. */
export function doneWords({ rows, writtenRows, isTruncated, elapsedMs }: Done): string {
  const what =
    writtenRows > 0 ? `${rowsOf(writtenRows)} written` : isTruncated ? `First ${rowsOf(rows)}` : rowsOf(rows)
  return `${what} in ${formatDuration(elapsedMs)}`
}

/** `read 12.4 m rows, 318 MB`; '' where nothing was read. */
export const readWords = ({ readRows, readBytes }: Pick<Done, 'readRows' | 'readBytes'>): string =>
  readRows === 0 ? '' : `read ${rowsOf(readRows, formatCount(readRows))}, ${formatBytes(readBytes)}`

export function progressWords(progress: Progress | null): string {
  if (!progress) return 'Running…'
  const share = shareOf(progress)
  const parts = [
    readWords(progress),
    share === null ? '' : formatPercent(share),
    progress.memoryBytes === null ? '' : `${formatBytes(progress.memoryBytes)} of memory`,
    formatDuration(progress.elapsedMs),
  ]
  return `Running · ${parts.filter((part) => part !== '').join(' · ')}`
}

/** How much of what it expects to read the engine has read; null = not known. */
export const shareOf = ({ readRows, totalRows }: Progress): number | null =>
  totalRows > 0 ? Math.min(1, readRows / totalRows) : null
